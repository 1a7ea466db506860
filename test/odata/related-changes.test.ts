import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';
import { createProject, sourceOf } from '../support/temporary-project.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const found = (schema: object, links?: object) => ({
  200: { description: 'Found.', content: { 'application/json': { schema } }, ...(links && { links }) },
});
const INT32 = { type: 'integer', format: 'int32' };
const inQuery = (name: string, schema: object = INT32) => ({ name, in: 'query', schema });
const inPath = { name: 'id', in: 'path', required: true, schema: INT32 };

const list = (name: string, parameters: readonly object[] = []) => ({
  get: {
    operationId: `${name}s`,
    parameters,
    responses: found({ type: 'array', items: ref(name) }),
  },
});
const item = (name: string, links: object) => ({
  parameters: [inPath],
  get: { operationId: name, responses: found(ref(name), links) },
});
const feed = (name: string) => ({
  get: {
    operationId: `changed${name}s`,
    'x-odata': { since: 'since', items: 'changed', removed: 'removed', next: 'state' },
    parameters: [inQuery('since', { type: 'string' })],
    responses: found({
      type: 'object',
      properties: {
        changed: { type: 'array', items: ref(name) },
        removed: { type: 'array', items: INT32 },
        state: { type: 'string' },
      },
    }),
  },
});
const schema = (properties: object, more: object = {}) => ({
  type: 'object',
  required: ['id'],
  properties: { id: INT32, ...properties },
  'x-odata': { key: 'id', ...more },
});
const toBooks = { books: { operationId: 'Books', parameters: { author_id: '$response.body#/id' } } };
const toReaders = { readers: { operationId: 'Readers', parameters: { author_id: '$response.body#/id' } } };
const toAuthor = { author: { operationId: 'Author', parameters: { id: '$response.body#/author_id' } } };

/** Authors and books have change feeds; readers have none; shelves are paths below an author. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/authors': list('Author'),
    '/authors/{id}': item('Author', { ...toBooks, ...toReaders }),
    '/authors/{id}/similar': {
      parameters: [inPath],
      get: { operationId: 'similar', responses: found({ type: 'array', items: ref('Author') }) },
    },
    '/authors-changed': feed('Author'),
    '/books': list('Book', [inQuery('author_id')]),
    '/books/{id}': item('Book', toAuthor),
    '/books-changed': feed('Book'),
    '/readers': list('Reader', [inQuery('author_id')]),
    '/readers/{id}': item('Reader', toAuthor),
  },
  components: {
    schemas: {
      Author: schema({ name: { type: 'string' } }, { entitySet: 'Author', changes: 'changedAuthors' }),
      Book: schema({ price: INT32, author_id: INT32 }, { entitySet: 'Book', changes: 'changedBooks' }),
      Reader: schema({ name: { type: 'string' }, author_id: INT32 }, { entitySet: 'Reader' }),
    },
  },
};

type Entity = Readonly<Record<string, unknown> & { id: number }>;

/** The entities of the API, and a log of their changes. */
class Shop {
  readonly authors = new Map<number, Entity>([
    [1, { id: 1, name: 'Ada' }],
    [2, { id: 2, name: 'Ben' }],
    [3, { id: 3, name: 'Cem' }],
  ]);
  readonly books = new Map<number, Entity>([
    [10, { id: 10, price: 5, author_id: 1 }],
    [20, { id: 20, price: 7, author_id: 2 }],
  ]);
  readonly #log: { readonly kind: 'authors' | 'books'; readonly id: number }[] = [];

  put(kind: 'authors' | 'books', entity: Entity): void {
    this[kind].set(entity.id, entity);
    this.#log.push({ kind, id: entity.id });
  }

  remove(kind: 'authors' | 'books', id: number): void {
    this[kind].delete(id);
    this.#log.push({ kind, id });
  }

  /** The answer to a read; undefined for a path without one. */
  read(target: string): unknown {
    const { pathname, searchParams } = new URL(target, 'http://shop');
    const [, kind = '', id] = pathname.split('/');
    if (kind.endsWith('-changed'))
      return this.#changed(kind.split('-')[0] ?? '', Number(searchParams.get('since') ?? this.#log.length));
    const entities = kind === 'authors' ? this.authors : kind === 'books' ? this.books : new Map();
    if (target.endsWith('/similar')) return [];
    if (id !== undefined) return entities.get(Number(id));
    const author = searchParams.get('author_id');
    return [...entities.values()].filter((each) => author === null || String(each['author_id']) === author);
  }

  #changed(kind: string, since: number) {
    const ids = new Set(
      this.#log
        .slice(since)
        .filter((each) => each.kind === kind)
        .map(({ id }) => id),
    );
    const entities = kind === 'authors' ? this.authors : this.books;
    return {
      changed: [...ids].flatMap((id) => entities.get(id) ?? []),
      removed: [...ids].filter((id) => !entities.has(id)),
      state: String(this.#log.length),
    };
  }
}

const project = createProject(
  {
    'api.json': JSON.stringify(DOCUMENT),
    '.meshrc.yaml': `sources:\n${sourceOf('Shop', './api.json', '{env.UPSTREAM_URL}')}`,
  },
  afterAll,
);
const gateway = useGateway({ MESH_CONFIG: project.path('.meshrc.yaml') });

let shop: Shop;
beforeEach(() => {
  shop = new Shop();
  gateway.upstream.behave(({ target }, reply) => {
    const answer = shop.read(target);
    if (answer === undefined) reply.send(404);
    else reply.json(answer);
  });
});

interface Delta {
  readonly status: number;
  readonly value: readonly unknown[];
  /** The path and query of the next delta link. */
  readonly link: string;
}

/** Reads a target below the service root. */
async function read(target: string, headers: Readonly<Record<string, string>> = {}): Promise<Delta> {
  const { status, text } = await gateway.fetch(target, {
    headers: { 'odata-maxversion': '4.01', ...headers },
  });
  const json = JSON.parse(text);
  return { status, value: json.value, link: String(json['@deltaLink']).replace(gateway.url, '') };
}

async function track(query: string): Promise<string> {
  const { link } = await read(`/odata/${query}`, { prefer: 'track-changes' });
  return link;
}

const removed = (id: string) => ({ '@removed': { reason: 'changed' }, '@id': id });

describe('a delta link (Part 1, 11.3) reports', () => {
  it('changes of expanded entities, and what was added to them and moved or deleted from them', async () => {
    let link = await track('Author?$select=Id&$expand=Books($select=Id,Price)&$orderby=Id');
    const follow = async () => {
      const { value, link: next } = await read(link);
      link = next;
      return value;
    };
    expect(await follow()).toStrictEqual([]);

    shop.put('books', { id: 10, price: 6, author_id: 1 });
    expect(await follow()).toStrictEqual([
      { Id: 1, Books: [{ Id: 10, Price: 6 }] },
      { Id: 2, Books: [{ Id: 20, Price: 7 }] },
      { Id: 3, Books: [] },
    ]);
    expect(await follow()).toStrictEqual([]);

    shop.put('books', { id: 10, price: 6, author_id: 3 });
    shop.remove('books', 20);
    expect(await follow()).toStrictEqual([
      { Id: 1, Books: [] },
      { Id: 2, Books: [] },
      { Id: 3, Books: [{ Id: 10, Price: 6 }] },
    ]);

    shop.put('authors', { id: 2, name: 'Bo' });
    expect(await follow()).toStrictEqual([{ Id: 2, Books: [] }]);
  });

  it('expanded entities of a filtered set, and nothing of what the filter leaves out', async () => {
    const link = await track('Author?$filter=Id le 2&$select=Id&$expand=Books($select=Id,Price)');
    shop.put('books', { id: 20, price: 8, author_id: 2 });
    expect((await read(link)).value).toStrictEqual([
      { Id: 1, Books: [{ Id: 10, Price: 5 }] },
      { Id: 2, Books: [{ Id: 20, Price: 8 }] },
    ]);
  });

  it.each([
    ['any', '$filter=Books/any(b:b/Price gt 100)'],
    ['all', '$filter=Books/any() and Books/all(b:b/Price gt 100)'],
    ['$count with a filter', '$filter=Books/$count($filter=Price gt 100) eq 1'],
    ['a computed value', '$compute=Books/$count($filter=Price gt 100) as Dear&$filter=Dear eq 1'],
  ])('entities that come to match, and cease to, by related ones: %s', async (_, query) => {
    const link = await track(`Author?${query}&$select=Id`);
    shop.put('books', { id: 20, price: 700, author_id: 2 });
    const first = await read(link);
    expect(first.value).toStrictEqual([removed('Author(1)'), removed('Author(3)'), { Id: 2 }]);
    shop.put('books', { id: 20, price: 7, author_id: 2 });
    expect((await read(first.link)).value).toStrictEqual([1, 2, 3].map((id) => removed(`Author(${id})`)));
  });

  it('another order, by a path to a single entity', async () => {
    const link = await track('Book?$orderby=Author/Name desc&$select=Id');
    shop.put('authors', { id: 1, name: 'Zoe' });
    expect((await read(link)).value).toStrictEqual([{ Id: 10 }, { Id: 20 }]);
  });

  it('nothing twice where the set is reached from itself', async () => {
    const link = await track('Book?$filter=Author/Books/$count gt 1&$select=Id&$count=true');
    shop.put('books', { id: 20, price: 7, author_id: 1 });
    expect((await read(link)).value).toStrictEqual([{ Id: 20 }, { Id: 10 }]);
  });
});

describe('Prefer: track-changes (Part 1, 8.2.8.8) is not applied', () => {
  it.each([
    ['expanded entities of a set without a feed', 'Author?$expand=Readers'],
    ['their number', 'Author?$expand=Readers/$count'],
    ['references to them', 'Author?$expand=Readers/$ref'],
    ['entities behind others', 'Book?$expand=Author($expand=Readers)'],
    ['conditions behind others', 'Author?$expand=Books($filter=Author/Readers/any())'],
    ['everything', 'Author?$expand=*'],
    ['links that only a path has', 'Author?$expand=Similar'],
    ['a filter', "Author?$filter=Readers/any(r:r/Name eq 'x')"],
    ['a number in a filter', 'Author?$filter=Readers/$count gt 1'],
    ['an order', 'Author?$orderby=Readers/$count'],
    ['a computed value', 'Author?$compute=Readers/$count as Count&$select=Count'],
    ['a path from the root', 'Author?$filter=Id eq $root/Reader(1)/Id'],
    ['the time', 'Author?$filter=year(now()) gt Id'],
  ])('for %s', async (_, target) => {
    const headers = { prefer: 'track-changes' };
    const answer = await gateway.fetch(`/odata/${target}`, { headers });
    const link = JSON.parse(answer.text)['@odata.deltaLink'];
    const applied = answer.headers.get('preference-applied');
    expect([answer.status, applied, link]).toStrictEqual([200, null, undefined]);
  });
});

describe('$metadata', () => {
  it('says by what changes are tracked (Capabilities.ChangeTracking)', async () => {
    const headers = { accept: 'application/json' };
    const { text } = await gateway.fetch('/odata/$metadata', { headers });
    const { Container: container } = JSON.parse(text).Shop;
    const tracked = ['Author', 'Book', 'Reader'].map(
      (name) => container[name]['@Capabilities.ChangeTracking'],
    );
    expect(tracked).toStrictEqual([
      { Supported: true, FilterableProperties: ['Id', 'Name'], ExpandableProperties: ['Books'] },
      {
        Supported: true,
        FilterableProperties: ['Id', 'Price', 'AuthorId'],
        ExpandableProperties: ['Author'],
      },
      undefined,
    ]);
  });
});
