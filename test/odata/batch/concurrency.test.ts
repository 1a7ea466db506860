import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../../support/running-gateway.ts';
import type { ReceivedRequest } from '../../support/stand-in-upstream.ts';
import { outline, sendJson } from './batch-client.ts';

const gateway = useGateway({ MEMORY_MIB: '0' });

beforeEach(() => gateway.upstream.behave(postsApi));

const read = (id: number) => ({ id: String(id), method: 'GET', url: `Post('${id}')/Title` });
const create = (id: number) => ({ id: String(id), method: 'POST', url: 'Post', body: { title: String(id) } });

/** Answers only when that many requests wait for it; says how many have at most. */
function answerTogether(size: number): () => number {
  let waiting: (() => void)[] = [];
  let most = 0;
  gateway.upstream.behave((request, reply) => {
    const id = Number(request.target.split('/').at(-1));
    waiting.push(() => reply.json({ id, title: `t${id}` }));
    most = Math.max(most, waiting.length);
    if (waiting.length < size) return;
    // The last one is answered first.
    for (const answer of waiting.toReversed()) answer();
    waiting = [];
  });
  return () => most;
}

describe('the order in a batch', () => {
  it('has reads that stand side by side go together, eight at a time, and answers them in order', async () => {
    const most = answerTogether(8);
    const ids = Array.from({ length: 16 }, (_, index) => index + 1);
    const answer = await sendJson(gateway, ids.map(read));
    expect(most()).toBe(8);
    expect(outline(answer).map((line) => line.replace(/\{.*"value":(.*)\}/, '$1'))).toStrictEqual(
      ids.map((id) => `${id} 200 "t${id}"`),
    );
  });

  it('has writes one after another, and reads on their side of them', async () => {
    let open = 0;
    gateway.upstream.behave((request, reply) => {
      open += 1;
      const isAlone = open === 1;
      setImmediate(() => {
        open -= 1;
        if (request.method === 'POST' && !isAlone) reply.send(500);
        else postsApi(request, reply);
      });
    });
    const answer = await sendJson(gateway, [read(1), create(2), create(3), read(10), create(5)]);
    expect(answer.responses.map(({ status }) => status)).toStrictEqual([200, 201, 201, 200, 201]);
    expect(answer.asked).toStrictEqual([
      'GET /posts/1',
      'POST /posts {"title":"2"}',
      'POST /posts {"title":"3"}',
      'GET /posts/10',
      'POST /posts {"title":"5"}',
    ]);
  });

  it('has a read wait for the one it depends on', async () => {
    const requests = [{ ...read(9) }, { ...read(1), dependsOn: ['9'] }];
    const answer = await sendJson(gateway, requests, { prefer: 'continue-on-error' });
    expect(answer.responses.map(({ status }) => status)).toStrictEqual([404, 424]);
    expect(answer.asked).toStrictEqual(['GET /posts/9']);
  });

  it('has a read go ahead once the one it depends on has succeeded', async () => {
    const answer = await sendJson(gateway, [read(1), { ...read(10), dependsOn: ['1'] }]);
    expect(answer.responses.map(({ status }) => status)).toStrictEqual([200, 200]);
    expect(answer.asked).toStrictEqual(['GET /posts/1', 'GET /posts/10']);
  });

  it('ends the answers at the first failure, though reads behind it were under way', async () => {
    const answer = await sendJson(gateway, [read(1), read(9), read(2), create(4)], {
      prefer: 'continue-on-error=false',
    });
    expect(answer.responses.map(({ id, status }) => [id, status])).toStrictEqual([
      ['1', 200],
      ['9', 404],
    ]);
    expect(answer.asked.some((call) => call.startsWith('POST'))).toBe(false);
  });

  it('ends where the client goes away', async () => {
    const controller = new AbortController();
    const held = Promise.withResolvers<ReceivedRequest>();
    gateway.upstream.behave((request) => {
      if (request.method === 'POST') held.resolve(request);
    });
    const before = gateway.upstream.requests.length;
    const requests = [create(1), create(2), { ...create(3), atomicityGroup: 'g' }];
    const sent = gateway.fetch('/odata/$batch', {
      method: 'POST',
      body: JSON.stringify({ requests }),
      headers: { 'content-type': 'application/json', prefer: 'continue-on-error' },
      signal: controller.signal,
    });
    const { closed } = await held.promise;
    controller.abort();
    await expect(sent).rejects.toThrow();
    await closed;
    gateway.upstream.behave(postsApi);
    await gateway.fetch('/odata/Post/$count');
    const requested = gateway.upstream.requests
      .slice(before)
      .map(({ method, target, body }) => `${method} ${target} ${body}`.trimEnd());
    expect(requested).toStrictEqual(['POST /posts {"title":"1"}', 'GET /posts']);
  });
});
