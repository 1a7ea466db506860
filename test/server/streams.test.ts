import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import type { Route } from '../../src/server/route.ts';
import { open, sendRequest } from './raw-client.ts';
import { runServer } from './running-server.ts';

function streamPart(bytes: Readable, length?: number, headers = {}): Route {
  return { path: '/odata', handler: () => ({ status: 200, headers, body: { bytes, length } }) };
}

function* failing(): Generator<string> {
  yield 'half';
  throw new GatewayError('UpstreamTimeout', 'Too late.', { cause: new Error('the upstream was silent') });
}

describe('an answer that is a stream', () => {
  it.each([
    ['of known length', 6, { 'content-length': '6' }, 'onetwo'],
    ['of unknown length', undefined, { 'transfer-encoding': 'chunked' }, '3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n'],
  ])('%s', async (_, length, headers, body) => {
    const { port } = await runServer([streamPart(Readable.from(['one', 'two']), length)]);
    expect(await sendRequest(port, 'GET /odata')).toMatchObject({ status: 200, headers, body });
  });

  it('is not read for HEAD', async () => {
    const bytes = Readable.from(['one', 'two']);
    const { port } = await runServer([streamPart(bytes, 6)]);
    const answer = await sendRequest(port, 'HEAD /odata');
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '6' }, body: '' });
    expect(bytes.destroyed).toBe(true);
  });

  it('has no end where it breaks off, and the log says why', async () => {
    const { port, entries } = await runServer([streamPart(Readable.from(failing()))]);
    expect((await sendRequest(port, 'GET /odata')).body).not.toMatch(/0\r\n\r\n$/);
    expect(entries()).toContainEqual(
      expect.objectContaining({
        msg: 'an answer broke off',
        err: expect.objectContaining({ message: 'the upstream was silent' }),
      }),
    );
  });

  it('breaks off where its client reads too slowly', async () => {
    const piece = Buffer.alloc(65_536);
    const bytes = Readable.from(
      (function* () {
        for (;;) yield piece;
      })(),
    );
    const { port } = await runServer([streamPart(bytes)], {
      limits: { answerRate: 1_000_000_000, paceGraceMs: 200 },
    });
    const socket = await open(port);
    socket.write('GET /odata HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.pause();
    // The socket's end shows only to a client that reads on.
    await new Promise<void>((resolve) => void bytes.once('close', resolve));
    socket.destroy();
    expect(bytes.destroyed).toBe(true);
  });

  it('is given up where its header cannot be written', async () => {
    const bytes = Readable.from(['one']);
    const { port } = await runServer([streamPart(bytes, 3, { 'x-bad': 'a\r\nb' })]);
    expect((await sendRequest(port, 'GET /odata')).status).toBe(500);
    expect(bytes.destroyed).toBe(true);
  });
});
