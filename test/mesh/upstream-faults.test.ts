import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { UpstreamLimits } from '../../src/upstream/client/upstream-limits.ts';
import type { Behaviour, ReceivedRequest, Reply } from '../support/stand-in-upstream.ts';
import { createGatewayMesh } from './gateway-mesh.ts';
import {
  callOperation,
  failureOf,
  HEADERS,
  openScene,
  POSTS_DOCUMENT,
  post,
  readDocuments,
  recordingLog,
  row,
  type Scene,
} from './support.ts';
import { behaviourOf, FAULTS, type FaultCase } from './upstream-faults.cases.ts';

const LIMITS = {
  headersTimeout: 200,
  idleBodyTimeout: 200,
  deadline: 300,
  bodySize: 1024 * 1024,
  retryPauseMin: 1,
  retryPauseMax: 5,
} satisfies Partial<UpstreamLimits>;

/** Only a fault that a timeout ends is to meet one: any other takes its time where the machine is busy. */
const UNHURRIED = {
  bodySize: LIMITS.bodySize,
  retryPauseMin: LIMITS.retryPauseMin,
  retryPauseMax: LIMITS.retryPauseMax,
} satisfies Partial<UpstreamLimits>;

/** Time that an open circuit breaker rejects calls. */
const PAUSE_MS = 300;

function limitsFor({ code }: FaultCase): Partial<UpstreamLimits> {
  return code === 'UpstreamTimeout' ? LIMITS : UNHURRIED;
}

function codeFor({ code }: FaultCase, kind: 'list' | 'key'): string {
  return typeof code === 'string' ? code : code[kind];
}

function expectInLog(scene: Scene, { logged, calls }: FaultCase): void {
  expect(scene.upstream.requests).toHaveLength(calls);
  if (logged !== undefined)
    expect(
      scene.log
        .map(({ fields }) => JSON.stringify(fields))
        .map(unescapeJson)
        .join('\n'),
    ).toMatch(logged);
}

/** The log's fields hold quoted text; a pattern reads better against the text itself. */
function unescapeJson(line: string): string {
  return String((JSON.parse(line) as { cause?: string }).cause);
}

describe('a list, when the upstream', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
    const scene = await openScene(behaviourOf(fault), { limits: limitsFor(fault) });
    const error = await failureOf(scene.list());
    expect(error.code).toBe(codeFor(fault, 'list'));
    expect(error.message).not.toMatch(/127\.0\.0\.1|secret|status|\[/);
    expectInLog(scene, fault);
  });
});

describe('an entity, when the upstream', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
    const scene = await openScene(behaviourOf(fault), { limits: limitsFor(fault) });
    if (codeFor(fault, 'key') === 'NotFound') expect(await scene.byKey('1')).toBeUndefined();
    else expect((await failureOf(scene.byKey('1'))).code).toBe(codeFor(fault, 'key'));
    expect(scene.upstream.requests).toHaveLength(fault.calls);
  });
});

describe('a create, when the upstream', () => {
  const UNREPORTED = new Set(['6 misses a required property', '6 sends null for a required property']);
  const failing = FAULTS.filter(({ name }) => !UNREPORTED.has(name));

  it.each(failing.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
    const scene = await openScene((__, reply) => fault.behaviour(reply, true), { limits: limitsFor(fault) });
    const error = await failureOf(scene.insert('{}'));
    if (fault.create !== undefined) expect(error.code).toBe(fault.create);
    else expect(error).toMatchObject({ code: 'InsertFailed', status: 400, message: 'Failed to add a post.' });
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('leaves out what the schema requires: it is null', async () => {
    const scene = await openScene((_, reply) => reply.send(201, '{"Title":"x"}'));
    expect(await scene.insert('{}')).toEqual({ UserId: null, Id: null, Title: 'x', Body: null });
  });
});

describe('1 a refused connection', () => {
  async function refusedUrl(): Promise<string> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  it('is answered by 502 within 500 ms', async () => {
    const source = {
      name: 'Posts',
      document: POSTS_DOCUMENT,
      endpoint: await refusedUrl(),
      operationHeaders: HEADERS,
    };
    const mesh = await createGatewayMesh({
      project: { directory: '/', sources: [source] },
      documents: readDocuments([source]),
      log: recordingLog([]),
    });
    expect((await failureOf(callOperation(mesh, 'posts'))).status).toBe(502);
    await mesh.destroy();
  });
});

describe('what is not a fault', () => {
  it('7 extra properties are absent and pollute nothing', async () => {
    const text =
      '[{"__proto__":{"polluted":1},"constructor":{"prototype":1},"userId":1,"id":1,"title":"Title 1","body":"Body 1","x":{}}]';
    const scene = await openScene((_, reply) => reply.send(200, text));
    expect((await scene.list()).data).toEqual([row(1)]);
    expect(Object.keys((await scene.list()).data[0] ?? {})).toEqual(['UserId', 'Id', 'Title', 'Body']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('8 a byte order mark is skipped', async () => {
    const scene = await openScene((_, reply) => reply.send(200, `\ufeff${JSON.stringify([post(1)])}`));
    expect((await scene.list()).data).toEqual([row(1)]);
  });

  it('names differ from the schema in case: the exact one wins', async () => {
    const posts = [{ USERID: 1, ID: 1, TITLE: 'no', title: 'Title 1', Title: 'no', Body: 'Body 1' }];
    const scene = await openScene((_, reply) => reply.json(posts));
    expect((await scene.list()).data).toEqual([row(1)]);
  });

  it('an optional property is missing or null: it is null', async () => {
    const scene = await openScene((_, reply) => reply.json([{ id: 1, title: null }]));
    expect((await scene.list()).data).toEqual([{ UserId: null, Id: '1', Title: null, Body: null }]);
  });

  it('an answer that is compressed although none was asked for', async () => {
    const { gzipSync } = await import('node:zlib');
    const bytes = gzipSync(JSON.stringify([post(1)]));
    const scene = await openScene((_, reply) => reply.send(200, bytes, { 'content-encoding': 'gzip' }));
    expect((await scene.list()).data).toEqual([row(1)]);
  });

  it('an informational answer comes first', async () => {
    const scene = await openScene((_, reply) => {
      reply.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      reply.json([post(1)]);
    });
    expect((await scene.list()).data).toEqual([row(1)]);
  });
});

describe('connections', () => {
  it('are kept alive', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)]));
    for (let count = 0; count < 5; count += 1) await scene.list();
    expect(scene.upstream.accepted).toBeLessThanOrEqual(2);
  });

  it.each([
    '2 accepts and stays silent',
    '2 sends headers and stays silent',
    '3 gives a content length that is too small',
  ])('are destroyed when the upstream %s', async (name) => {
    const fault = FAULTS.find((candidate) => candidate.name === name);
    const scene = await openScene((_, reply) => fault?.behaviour(reply, false), { limits: LIMITS });
    await failureOf(scene.list());
    await scene.upstream.requests[0]?.closed;
    scene.upstream.behave((_, reply) => reply.json([post(1)]));
    expect((await scene.list()).data).toEqual([row(1)]);
    expect(scene.upstream.accepted).toBeGreaterThan(1);
  });
});

describe('a timeout of its own', () => {
  it.each([
    ['headersTimeout', '2 accepts and stays silent'],
    ['idleBodyTimeout', '2 sends headers and stays silent'],
  ] as const)('%s ends a call before the deadline', async (limit, name) => {
    const fault = FAULTS.find((candidate) => candidate.name === name);
    const scene = await openScene((_, reply) => fault?.behaviour(reply, false), { limits: { [limit]: 100 } });
    expect((await failureOf(scene.list())).code).toBe('UpstreamTimeout');
    expect(JSON.stringify(scene.log)).not.toMatch(/deadline/);
  });
});

describe('a repeated call', () => {
  it('is answered by the second answer', async () => {
    let calls = 0;
    const scene = await openScene((_, reply) => {
      calls += 1;
      if (calls === 1) reply.send(503);
      else reply.json([post(1)]);
    });
    expect((await scene.list()).data).toEqual([row(1)]);
    expect(calls).toBe(2);
  });

  it('is not made once the budget is spent', async () => {
    const scene = await openScene((_, reply) => reply.send(500), {
      limits: { ...LIMITS, breakerFailures: 1_000 },
    });
    for (let count = 0; count < 40; count += 1) await failureOf(scene.list());
    expect(scene.upstream.requests.length).toBeLessThanOrEqual(40 + 10 + 4);
  });

  it('is not made of a create', async () => {
    const scene = await openScene((_, reply) => reply.reset(), { limits: LIMITS });
    await failureOf(scene.insert('{}'));
    expect(scene.upstream.requests).toHaveLength(1);
  });
});

describe('12 Retry-After', () => {
  it.each([
    ['7', '7'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['soon', '1'],
    ['3600', '3600'],
    ['999999999', '3600'],
    ['Fri, 01 Jan 2100 00:00:00 GMT', '3600'],
  ])('%s is passed on as %s', async (sent, expected) => {
    const scene = await openScene((_, reply) => reply.send(429, '', { 'retry-after': sent }));
    expect((await failureOf(scene.list())).headers).toEqual({ 'retry-after': expected });
  });
});

describe('14 the breaker', () => {
  const limits = { ...UNHURRIED, breakerPause: PAUSE_MS };

  async function failTwentyTimes(scene: Scene): Promise<void> {
    while (scene.upstream.requests.length < 20) await failureOf(scene.list());
  }

  it('opens after 20 failures, and no call is made', async () => {
    const scene = await openScene((_, reply) => reply.send(500), {
      limits: { ...limits, breakerPause: 10_000 },
    });
    await failTwentyTimes(scene);
    const error = await failureOf(scene.list());
    expect(error).toMatchObject({ code: 'CircuitOpen', status: 503, headers: { 'retry-after': '10' } });
    expect(scene.upstream.requests).toHaveLength(20);
    expect(scene.log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: { upstream: 'Posts', operation: 'Posts.Query.posts', breaker: 'open' },
      }),
    );
  });

  it.each<[string, (reply: Reply) => void]>([
    ['an error', (reply) => reply.send(500)],
    ['nonsense', (reply) => reply.write('HTTP/1.1 nonsense\r\n\r\n')],
    ['nothing in time', () => undefined],
  ])('pauses the one operation that is answered with %s', async (_, spoil) => {
    const answer: Behaviour = ({ target }, reply) =>
      target === '/posts' ? reply.json([post(1)]) : spoil(reply);
    const scene = await openScene(answer, {
      limits: { ...limits, breakerPause: 10_000, deadline: 1_000, breakerFailures: 5 },
    });
    const odd = Array.from({ length: 10 }, (__, index) => failureOf(scene.byKey(`odd${index}`)));
    await Promise.all(odd);
    expect(await failureOf(scene.byKey('1'))).toMatchObject({ code: 'CircuitOpen' });
    expect((await scene.list()).data).toEqual([row(1)]);
  });

  it('pauses all operations of an upstream that breaks connections off', async () => {
    const scene = await openScene((_, reply) => reply.reset(), {
      limits: { ...limits, breakerPause: 10_000 },
    });
    for (let count = 0; count < 20; count += 1) await failureOf(scene.byKey(`odd${count}`));
    expect(await failureOf(scene.list())).toMatchObject({ code: 'CircuitOpen' });
  });

  it('lets one call through after the pause, and closes when it succeeds', async () => {
    const scene = await openScene((_, reply) => reply.send(500), { limits });
    await failTwentyTimes(scene);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + 20));
    const waiting: ReceivedRequest[] = [];
    scene.upstream.behave((request, reply) => {
      waiting.push(request);
      setTimeout(() => reply.json([post(1)]), 20);
    });
    const probe = scene.list();
    expect((await failureOf(scene.list())).code).toBe('CircuitOpen');
    expect((await probe).data).toEqual([row(1)]);
    expect(waiting).toHaveLength(1);
    expect((await scene.list()).data).toEqual([row(1)]);
  });

  it('opens again when that call fails', async () => {
    const scene = await openScene((_, reply) => reply.send(500), { limits });
    await failTwentyTimes(scene);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + 20));
    expect((await failureOf(scene.list())).code).toBe('UpstreamUnavailable');
    expect((await failureOf(scene.list())).code).toBe('CircuitOpen');
    expect(scene.upstream.requests).toHaveLength(21);
  });

  it('stays closed while most calls succeed', async () => {
    let calls = 0;
    const scene = await openScene((_, reply) => {
      calls += 1;
      if (calls % 3 === 0) reply.send(501);
      else reply.json([post(1)]);
    });
    for (let count = 0; count < 90; count += 1) await scene.list().catch(() => undefined);
    expect(calls).toBe(90);
  });

  it('is not opened by clients that go away', async () => {
    const scene = await openScene(() => undefined, { limits });
    for (let count = 0; count < 25; count += 1) {
      const client = new AbortController();
      const list = failureOf(scene.list(client.signal));
      client.abort();
      expect((await list).code).toBe('ClientClosedRequest');
    }
    scene.upstream.behave((_, reply) => reply.json([post(1)]));
    expect((await scene.list()).data).toEqual([row(1)]);
  });
});

describe('15 an upstream that hangs under 200 calls', () => {
  it('has at most 64 connections; the calls that get none are refused before those are given up', async () => {
    const connections: number[] = [];
    const scene = await openScene(() => void connections.push(scene.upstream.connections), {
      limits: {
        ...LIMITS,
        headersTimeout: 4_000,
        deadline: 3_000,
        queueTimeout: 300,
        queueLength: 100,
        sharedReads: false,
      },
    });
    const codes: string[] = [];
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const { code } = await failureOf(scene.list());
        codes.push(code);
      }),
    );
    expect(codes).toEqual([...Array(136).fill('UpstreamBusy'), ...Array(64).fill('UpstreamTimeout')]);
    expect(connections).toHaveLength(64);
    expect(connections.at(-1)).toBe(64);
  });

  it('gives a connection that becomes free to the call that has waited longest', async () => {
    const scene = await openScene((_, reply) => setTimeout(() => reply.json([post(1)]), 10), {
      limits: { connections: 2, sharedReads: false },
    });
    const lists = await Promise.all(Array.from({ length: 20 }, () => scene.list()));
    expect(lists.map(({ data }) => data.length)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(scene.upstream.accepted).toBe(2);
  });
});
