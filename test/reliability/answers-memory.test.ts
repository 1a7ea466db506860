import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type RunningGateway, useGateway } from '../support/running-gateway.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';

const MIB = 1024 * 1024;
const TITLE = 't'.repeat(1000);

/** A list of about so many bytes. */
function listOf(bytes: number): string {
  return JSON.stringify(Array.from({ length: bytes / 1040 }, (_, id) => ({ id, userId: 1, title: TITLE })));
}

const MIDDLING = listOf(MIB);

const answering =
  (body: string): Behaviour =>
  ({ target }, reply) =>
    target.startsWith('/posts/') ? reply.json({ id: 1, title: 'One' }) : reply.send(200, body);

/** A client that asks, and does not read what it is sent. */
async function silentReader(gateway: RunningGateway, path: string) {
  const { port } = new URL(gateway.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

describe('room for answers', () => {
  const gateway = useGateway({
    ANSWERS_MIB: '6',
    ANSWERS_WAIT_MS: '60000',
    UPSTREAM_TIMEOUT_MS: '60000',
    UPSTREAM_SHARED_READS: 'off',
    MEMORY_MIB: '0',
  });

  it('is waited for by many who ask at once', async () => {
    gateway.upstream.behave(answering(MIDDLING));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, skip) => gateway.fetch(`/odata/Post?$skip=${skip}&$top=1`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('is taken by what comes, where an answer does not say how long it is', async () => {
    const body = JSON.stringify([{ id: 1, title: 'One' }]);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    gateway.upstream.behave((_, reply) =>
      reply.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunked}`,
      ),
    );
    for (const path of ['/odata/Post', '/odata/Post?$top=1', '/odata/Post/$count']) {
      expect((await gateway.fetch(path)).status).toBe(200);
    }
  });

  it('is refused at once to what can never have it', async () => {
    gateway.upstream.behave(answering(listOf(3 * MIB)));
    const { status, text } = await gateway.fetch('/odata/Post?$top=1');
    expect(status).toBe(413);
    expect(text).toContain('ANSWERS_MIB');
  });

  it('is given back part by part in a batch', async () => {
    gateway.upstream.behave(answering(MIDDLING));
    const requests = Array.from({ length: 12 }, (_, id) => ({
      id: String(id),
      method: 'GET',
      url: `Post?$skip=${id}&$top=1`,
    }));
    const { text } = await gateway.fetch('/odata/$batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests }),
    });
    const { responses } = JSON.parse(text) as { readonly responses: readonly { readonly status: number }[] };
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });
});

describe.each([
  ['ANSWER_TIMEOUT_MS', '5000'],
  // The grace that every reader has is the whole of the time, where the rate is beyond all connections.
  ['ANSWER_RATE_KIB', '1048576'],
])('an answer that is not read, with %s=%s', (variable, value) => {
  const gateway = useGateway({
    ANSWERS_MIB: '70',
    ANSWERS_WAIT_MS: '50',
    MEMORY_MIB: '0',
    [variable]: value,
  });

  it('takes room until the time for it is over, and small answers need none', async () => {
    // More than fits into the buffers of the connection.
    gateway.upstream.behave(answering(listOf(16 * MIB)));
    const first = async () => (await gateway.fetch('/odata/Post?$top=1')).status;
    expect(await first()).toBe(200);
    const socket = await silentReader(gateway, '/odata/Post');
    await expect.poll(first, { timeout: 10_000 }).toBe(503);
    expect((await gateway.fetch("/odata/Post('1')")).status).toBe(200);
    await expect.poll(first, { timeout: 40_000 }).toBe(200);
    socket.destroy();
  });
});

describe('a wait for room that takes longer than the time for an upstream', () => {
  const gateway = useGateway({
    ANSWERS_MIB: '70',
    ANSWERS_WAIT_MS: '2000',
    UPSTREAM_TIMEOUT_MS: '1500',
    MEMORY_MIB: '0',
  });

  it('is told as ours, and opens no breaker', async () => {
    gateway.upstream.behave(answering(listOf(16 * MIB)));
    const socket = await silentReader(gateway, '/odata/Post');
    await expect
      .poll(async () => (await gateway.fetch('/odata/Post?$top=1')).status, { timeout: 15_000 })
      .toBe(503);
    const { headers, text } = await gateway.fetch('/odata/Post?$top=1');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(text).toContain('ANSWERS_MIB');
    socket.destroy();
    await expect
      .poll(async () => (await gateway.fetch('/odata/Post?$top=1')).status, { timeout: 15_000 })
      .toBe(200);
  });
});
