import { describe, expect, it } from 'vitest';
import { listOf } from '../support/model.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';
import { callContext, openScene, POSTS, PROPERTIES, post, row } from './support.ts';

const plain: Behaviour = ({ target }, reply) =>
  reply.json(target === '/posts' ? [post(1), post(2)] : post(1));

/** Answers 304 where it is asked with the tag it gave. */
const tagged: Behaviour = (request, reply) => {
  if (request.headers['if-none-match'] === '"v1"') reply.write('HTTP/1.1 304 -\r\netag: "v1"\r\n\r\n');
  else reply.json(request.target === '/posts' ? [post(1), post(2)] : post(1), { etag: '"v1"' });
};

describe.each([
  ['without an entity tag', plain],
  ['with an entity tag', tagged],
])('unchanged data %s', (_, behaviour) => {
  it('is given as the same rows, and the upstream is asked each time', async () => {
    const scene = await openScene(behaviour);
    const [first, second, third] = [await scene.list(), await scene.list(), await scene.list()];
    expect(second.data).toBe(first.data);
    expect(third.data).toBe(first.data);
    expect(first.version).toBeTypeOf('number');
    expect(third.version).toBe(first.version);
    expect(third.data).toEqual([row(1), row(2)]);
    expect(scene.upstream.requests).toHaveLength(3);
  });

  it('is given as the same row by its key', async () => {
    const scene = await openScene(behaviour);
    const [first, second] = [await scene.byKey('1'), await scene.byKey('1')];
    expect(second?.data).toBe(first?.data);
    expect(second?.version).toBe(first?.version);
    expect(second?.data).toEqual(row(1));
  });

  it('is the same version for other properties, with rows of their own', async () => {
    const scene = await openScene(behaviour);
    const all = await scene.list();
    const titles = await scene.source.readCollection(listOf(POSTS, ['Title']), callContext());
    const none = await scene.source.readCollection(listOf(POSTS, []), callContext());
    expect(titles.data).toEqual([{ Title: 'Title 1' }, { Title: 'Title 2' }]);
    expect(none.data).toEqual([{}, {}]);
    expect([titles.version, none.version]).toEqual([all.version, all.version]);
    expect((await scene.list()).data).toBe(all.data);
  });

  it('is given to calls at the same time', async () => {
    const scene = await openScene(behaviour);
    const first = await scene.list();
    const lists = await Promise.all(Array.from({ length: 20 }, () => scene.list()));
    expect(lists.every(({ data }) => data === first.data)).toBe(true);
  });

  it('is not remembered where that is switched off', async () => {
    const scene = await openScene(behaviour, { memorySize: 0 });
    const [first, second] = [await scene.list(), await scene.list()];
    expect(second.data).not.toBe(first.data);
    expect(second).toEqual({ data: [row(1), row(2)], version: undefined });
    expect(scene.upstream.requests[1]?.headers['if-none-match']).toBeUndefined();
  });
});

describe('changed data', () => {
  it('is seen at once and has a version of its own, also when it changes back', async () => {
    const scene = await openScene(plain);
    const first = await scene.list();
    scene.upstream.behave((_, reply) => reply.json([post(3)]));
    const second = await scene.list();
    scene.upstream.behave(plain);
    const third = await scene.list();
    expect(second.data).toEqual([row(3)]);
    expect(third.data).toEqual(first.data);
    expect(new Set([first.version, second.version, third.version]).size).toBe(3);
  });

  it('is seen at once where an entity tag was known', async () => {
    const scene = await openScene(tagged);
    await scene.list();
    scene.upstream.behave((_, reply) => reply.json([post(3)], { etag: '"v2"' }));
    expect((await scene.list()).data).toEqual([row(3)]);
    expect(scene.upstream.requests[1]?.headers['if-none-match']).toBe('"v1"');
    await scene.list();
    expect(scene.upstream.requests[2]?.headers['if-none-match']).toBe('"v2"');
  });

  it('differs between keys', async () => {
    const scene = await openScene(({ target }, reply) => reply.json(post(Number(target.split('/')[2]))));
    const rows = [await scene.byKey('1'), await scene.byKey('2'), await scene.byKey('1')];
    expect(rows.map((snapshot) => snapshot?.data)).toEqual([row(1), row(2), row(1)]);
    expect(rows[0]?.version).not.toBe(rows[1]?.version);
  });

  it('that is wrong is refused, and what was known before is asked about again', async () => {
    const scene = await openScene(tagged);
    const first = await scene.list();
    scene.upstream.behave((_, reply) => reply.json([post(1, { id: 'x' })], { etag: '"v2"' }));
    await expect(scene.list()).rejects.toMatchObject({ code: 'UpstreamBadResponse' });
    scene.upstream.behave(tagged);
    expect((await scene.list()).data).toBe(first.data);
  });
});

describe('a tag', () => {
  it('that the upstream does not honour: its bytes are compared', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)], { etag: '"v1"' }));
    expect((await scene.list()).data).toBe((await scene.list()).data);
    expect(scene.upstream.requests[1]?.headers['if-none-match']).toBe('"v1"');
  });

  it('that changes although the data does not is taken over', async () => {
    let version = 0;
    const scene = await openScene((_, reply) => {
      version += 1;
      reply.json([post(1)], { etag: `W/"${version}"` });
    });
    const [first, second] = [await scene.list(), await scene.list(), await scene.list()];
    expect(second?.version).toBe(first?.version);
    expect(scene.upstream.requests[2]?.headers['if-none-match']).toBe('W/"2"');
  });

  it('that is none is not sent back', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)], { etag: 'v1' }));
    await scene.list();
    await scene.list();
    expect(scene.upstream.requests[1]?.headers['if-none-match']).toBeUndefined();
  });
});

describe('what an upstream says about storing', () => {
  it.each([
    ['cache-control', 'no-store'],
    ['cache-control', 'private, No-Store'],
    ['vary', '*'],
  ])('%s: %s keeps the answer from being remembered', async (name, value) => {
    const scene = await openScene((_, reply) => reply.json([post(1)], { [name]: value, etag: '"v1"' }));
    const [first, second] = [await scene.list(), await scene.list()];
    expect(second.data).not.toBe(first.data);
    expect(second.version).toBeUndefined();
    expect(scene.upstream.requests[1]?.headers['if-none-match']).toBeUndefined();
  });

  it.each(['Origin, Accept-Encoding', 'X-Application-Name', 'Cookie'])(
    'vary: %s does not: calls do not differ in it',
    async (vary) => {
      const scene = await openScene((_, reply) => reply.json([post(1)], { vary }));
      expect((await scene.list()).data).toBe((await scene.list()).data);
    },
  );

  it('no-store on an unchanged answer makes it forgotten', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)]));
    await scene.list();
    scene.upstream.behave((_, reply) => reply.json([post(1)], { 'cache-control': 'no-store' }));
    expect((await scene.list()).version).toBeUndefined();
    scene.upstream.behave((_, reply) => reply.json([post(1)]));
    expect((await scene.list()).version).toBeTypeOf('number');
  });
});

describe('the memory', () => {
  it('is bounded: what was not read for longest is forgotten', async () => {
    const scene = await openScene(({ target }, reply) => reply.json(post(Number(target.split('/')[2]))), {
      memorySize: 6_000,
    });
    const first = await scene.byKey('1');
    for (let id = 2; id < 10; id += 1) await scene.byKey(String(id));
    const again = await scene.byKey('1');
    expect(again?.data).toEqual(row(1));
    expect(again?.version).not.toBe(first?.version);
  });

  it('does not take what is larger than itself', async () => {
    const scene = await openScene(
      (_, reply) => reply.json(Array.from({ length: 100 }, (__, id) => post(id))),
      { memorySize: 6_000 },
    );
    expect((await scene.list()).version).toBeUndefined();
    expect((await scene.list()).data).toHaveLength(100);
  });

  it('counts the rows of all queries', async () => {
    const scene = await openScene(
      (_, reply) => reply.json(Array.from({ length: 20 }, (__, id) => post(id))),
      { memorySize: 14_000 },
    );
    const version = (await scene.list()).version;
    for (const properties of [
      ['Id'],
      ['Title'],
      ['Body'],
      ['Id', 'Title'],
      ['Id', 'Body'],
      PROPERTIES.slice(1),
      [],
    ]) {
      const read = listOf(POSTS, properties);
      const rows = await scene.source.readCollection(read, callContext());
      expect(rows.version).toBe(version);
      expect(rows.data).toHaveLength(20);
    }
  });

  it('does not keep the answers of creates', async () => {
    const scene = await openScene((_, reply) => reply.send(201, JSON.stringify(post(101)), { etag: '"v1"' }));
    const rows = [await scene.insert('{}'), await scene.insert('{}')];
    expect(rows[1]).not.toBe(rows[0]);
    expect(scene.upstream.requests[1]?.headers['if-none-match']).toBeUndefined();
  });
});
