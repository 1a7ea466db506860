import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { StreamContent } from '../../src/contract/entity-source.ts';
import type { UpstreamLimits } from '../../src/upstream/client/upstream-limits.ts';
import type { Reply } from '../support/stand-in-upstream.ts';
import { callContext, failureOf, openScene, type Scene } from './support.ts';

const LIMITS: Partial<UpstreamLimits> = {
  connections: 1,
  retryPauseMin: 1,
  retryPauseMax: 5,
};

/** Opens the answer to `GET /posts` as a stream. */
async function open({ source }: Scene, signal?: AbortSignal): Promise<StreamContent> {
  const operation = { id: 'posts', parameters: [] };
  const read = { kind: 'stream', resource: 'Post', operation, arguments: {}, body: undefined } as const;
  const snapshot = await source.readStream({ ...read, conditions: {} }, callContext(signal));
  if (snapshot.kind !== 'content') throw new Error(`expected content, found ${snapshot.kind}`);
  return snapshot;
}

const begin = (_: unknown, reply: Reply): void =>
  reply.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nha');

describe('a stream', () => {
  it('has a connection until it is closed', async () => {
    const scene = await openScene(begin, {
      limits: { ...LIMITS, idleBodyTimeout: 60_000, queueTimeout: 50 },
    });
    const { bytes } = await open(scene);
    expect(await failureOf(scene.list())).toMatchObject({ code: 'UpstreamBusy' });
    bytes.destroy();
    scene.upstream.behave((__, reply) => reply.json([]));
    await expect.poll(async () => (await scene.list().catch(() => undefined))?.data).toStrictEqual([]);
  });

  it('gives a connection that was read to its end to the next call', async () => {
    const scene = await openScene((_, reply) => reply.send(200, '[]'), { limits: LIMITS });
    expect(String(await buffer((await open(scene)).bytes))).toBe('[]');
    await scene.list();
    expect(scene.upstream.accepted).toBe(1);
  });

  it.each<[string, (reply: Reply) => void, string, Partial<UpstreamLimits>]>([
    ['falls silent', () => undefined, 'UpstreamTimeout', { idleBodyTimeout: 100 }],
    ['breaks off', (reply) => reply.reset(), 'UpstreamUnavailable', {}],
    ['ends too early', (reply) => reply.end(), 'UpstreamUnavailable', {}],
  ])('that %s fails, and says why', async (_, spoil, code, limits) => {
    const scene = await openScene(
      (__, reply) => {
        begin(undefined, reply);
        setTimeout(() => spoil(reply), 20);
      },
      { limits: { ...LIMITS, ...limits } },
    );
    const { bytes } = await open(scene);
    expect(await failureOf(buffer(bytes))).toMatchObject({ code });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('that was encoded with %s stands for no more than a body may have', async (coding, encode) => {
    const scene = await openScene(
      (_, reply) => reply.send(200, encode(Buffer.alloc(20_000)), { 'content-encoding': coding }),
      {
        limits: { ...LIMITS, bodySize: 10_000 },
      },
    );
    const { bytes } = await open(scene);
    expect(await failureOf(buffer(bytes))).toMatchObject({ code: 'UpstreamBadResponse' });
    scene.upstream.behave((_, reply) =>
      reply.send(200, encode(Buffer.alloc(10_000)), { 'content-encoding': coding }),
    );
    expect((await buffer((await open(scene)).bytes)).length).toBe(10_000);
  });

  it('fails when its client goes, and gives the upstream up', async () => {
    const scene = await openScene(begin, { limits: { ...LIMITS, idleBodyTimeout: 60_000 } });
    const client = new AbortController();
    const { bytes } = await open(scene, client.signal);
    client.abort();
    expect(await failureOf(buffer(bytes))).toMatchObject({ code: 'ClientClosedRequest' });
    await scene.upstream.requests[0]?.closed;
  });
});

describe('the circuit breaker', () => {
  const limits = { ...LIMITS, breakerFailures: 3, idleBodyTimeout: 60_000 };

  async function spoilThree(scene: Scene, spoil: (bytes: StreamContent['bytes']) => unknown): Promise<void> {
    for (let times = 0; times < 3; times += 1) {
      const { bytes } = await open(scene);
      const closed = new Promise((resolve) => bytes.once('close', resolve));
      await spoil(bytes);
      await closed;
    }
  }

  it('opens when streams keep breaking off', async () => {
    const breakOff = (_: unknown, reply: Reply): void => {
      begin(undefined, reply);
      setTimeout(() => reply.reset(), 10);
    };
    const scene = await openScene(breakOff, { limits });
    await spoilThree(scene, (bytes) => failureOf(buffer(bytes)));
    expect(await failureOf(open(scene))).toMatchObject({ code: 'CircuitOpen' });
  });

  it('does not mind streams that nobody wants', async () => {
    const scene = await openScene(begin, { limits });
    await spoilThree(scene, (bytes) => bytes.destroy());
    const { kind, bytes } = await open(scene);
    expect(kind).toBe('content');
    bytes.destroy();
  });
});
