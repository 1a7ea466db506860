import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';
import type { Reply } from '../support/stand-in-upstream.ts';
import { failureOf, openScene, post, row } from './support.ts';

/** Longer than any test: a shared GET then waits for the end of the one that is under way. */
const FOR_EVER = { sharedWait: 600_000 };

const LIST = [post(1), post(2)];

/** An upstream whose answers are held until they are let go, oldest first. */
function holding() {
  const held: Reply[] = [];
  return {
    behaviour: (_: unknown, reply: Reply) => void held.push(reply),
    /** The oldest request's reply, once there is one. */
    async next(): Promise<Reply> {
      for (;;) {
        const reply = held.shift();
        if (reply !== undefined) return reply;
        await setImmediate();
      }
    },
  };
}

describe('requests that wait for the same GET', () => {
  it('share the next one that starts after all of them have come', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const first = scene.list();
    const others = Array.from({ length: 20 }, () => scene.list());
    (await next()).json([post(1)]);
    expect((await first).data).toEqual([row(1)]);
    (await next()).json(LIST);
    const shared = await Promise.all(others);
    for (const { data } of shared) expect(data).toEqual([row(1), row(2)]);
    // The rows are made once.
    for (const { data } of shared) expect(data).toBe(shared[0]?.data);
    expect(scene.upstream.requests).toHaveLength(2);
  });

  it('do not wait for one that takes long', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour);
    const first = scene.list();
    const slow = await next();
    const second = scene.list();
    (await next()).json(LIST);
    expect((await second).data).toEqual([row(1), row(2)]);
    slow.json([post(1)]);
    expect((await first).data).toEqual([row(1)]);
  });

  it('are each sent alone where reads are not shared', async () => {
    const scene = await openScene((_, reply) => reply.json(LIST), {
      limits: { ...FOR_EVER, sharedReads: false },
    });
    await Promise.all(Array.from({ length: 5 }, () => scene.list()));
    expect(scene.upstream.requests).toHaveLength(5);
  });

  it('are of one URL: another key is another GET', async () => {
    const scene = await openScene(({ target }, reply) => reply.json(post(Number(target.slice(7)))), {
      limits: FOR_EVER,
    });
    const [one, two] = await Promise.all([scene.byKey('1'), scene.byKey('2')]);
    expect([one?.data, two?.data]).toEqual([row(1), row(2)]);
    expect(scene.upstream.requests.map(({ target }) => target).sort()).toEqual(['/posts/1', '/posts/2']);
  });

  it('take only themselves out when they go away', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const leaving = new AbortController();
    const first = scene.list();
    const gone = failureOf(scene.list(leaving.signal));
    const stays = scene.list();
    leaving.abort();
    expect((await gone).code).toBe('ClientClosedRequest');
    (await next()).json([post(1)]);
    await first;
    (await next()).json(LIST);
    expect((await stays).data).toEqual([row(1), row(2)]);
    expect(scene.upstream.requests).toHaveLength(2);
  });

  it('end the GET when all of them have gone away', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const leaving = new AbortController();
    const first = scene.list();
    const gone = [scene.list(leaving.signal), scene.list(leaving.signal)].map(failureOf);
    (await next()).json([post(1)]);
    await first;
    await next();
    leaving.abort();
    expect((await Promise.all(gone)).map(({ code }) => code)).toEqual([
      'ClientClosedRequest',
      'ClientClosedRequest',
    ]);
    await scene.upstream.requests[1]?.closed;
  });

  it('have no GET sent for them when all of them go away before it starts', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const leaving = new AbortController();
    const first = scene.list();
    const gone = failureOf(scene.list(leaving.signal));
    leaving.abort();
    await gone;
    (await next()).json(LIST);
    await first;
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('have each their own deadline', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: { ...FOR_EVER, deadline: 150 } });
    const failures = await Promise.all([scene.list(), scene.list(), scene.list()].map(failureOf));
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('UpstreamTimeout'));
    await next();
  });

  it('are each told of a failure', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: { ...FOR_EVER, retryBudget: 0 } });
    const first = scene.list();
    const others = [scene.list(), scene.list()].map(failureOf);
    (await next()).json(LIST);
    await first;
    (await next()).send(404, '{}');
    expect((await Promise.all(others)).map(({ code }) => code)).toEqual(Array(2).fill('UpstreamBadResponse'));
  });
});

describe('reads for one query', () => {
  it('share the GET that is under way', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const query = {};
    const reads = Array.from({ length: 5 }, () => scene.list(undefined, query));
    (await next()).json(LIST);
    for (const { data } of await Promise.all(reads)) expect(data).toEqual([row(1), row(2)]);
    expect((await scene.list(undefined, query)).data).toEqual([row(1), row(2)]);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('send another one where that is given up alone', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const query = {};
    const leaving = new AbortController();
    const gone = failureOf(scene.list(leaving.signal, query));
    await next();
    const stay = [scene.list(undefined, query), scene.list(undefined, query)];
    leaving.abort();
    expect((await gone).code).toBe('ClientClosedRequest');
    (await next()).json(LIST);
    for (const { data } of await Promise.all(stay)) expect(data).toEqual([row(1), row(2)]);
    expect(scene.upstream.requests).toHaveLength(2);
  });

  it('share nothing with those for another', async () => {
    const { behaviour, next } = holding();
    const scene = await openScene(behaviour, { limits: FOR_EVER });
    const [one, other] = [scene.list(undefined, {}), scene.list(undefined, {})];
    (await next()).json([post(1)]);
    expect((await one).data).toEqual([row(1)]);
    (await next()).json(LIST);
    expect((await other).data).toEqual([row(1), row(2)]);
  });
});

describe('a read', () => {
  const gateway = useGateway();

  it('sees each change that was answered before it, in whatever order all goes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { minLength: 2, maxLength: 12 }), linearizable),
      { numRuns: 150 },
    );
  });

  /** Each step is a read, or a write that raises the number that reads give. */
  async function linearizable(scheduler: fc.Scheduler, steps: readonly boolean[]): Promise<void> {
    let written = 0;
    let answered = 0;
    gateway.upstream.behave(async ({ method }, reply) => {
      await scheduler.schedule(Promise.resolve(), `${method} takes effect`);
      const number = method === 'POST' ? ++written : written;
      await scheduler.schedule(Promise.resolve(), `${method} is answered`);
      if (method === 'POST') reply.send(201, JSON.stringify({ id: number }));
      else reply.json([{ id: number, title: 'x' }]);
    });
    const read = async () => {
      const least = answered;
      const { text } = await gateway.fetch('/odata/Post?$select=Id');
      const found = Number(JSON.parse(text).value[0].Id);
      expect(found).toBeGreaterThanOrEqual(least);
      expect(found).toBeLessThanOrEqual(written);
    };
    const write = async () => {
      const { text } = await gateway.fetch('/odata/Post', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"Title":"x"}',
      });
      answered = Math.max(answered, Number(JSON.parse(text).Id));
    };
    let open = true;
    const started = steps.map(async (isWrite, index) => {
      await scheduler.schedule(Promise.resolve(), `step ${index}`);
      await (isWrite ? write() : read());
    });
    const all = Promise.all(started).finally(() => {
      open = false;
    });
    while (open) {
      if (scheduler.count() > 0) await scheduler.waitOne();
      await setImmediate();
    }
    await all;
  }
});
