import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readScope } from '../../src/auth/keys/key-scope.ts';
import { openAdministration } from '../../src/composition/auth-module.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { WrittenScope } from '../../src/contract/accounts.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { ACCESS, PASSWORD } from './account-client.ts';

/** The keys of a librarian who is an administrator, by name. */
const SCOPES: Readonly<Record<string, WrittenScope | undefined>> = {
  unlimited: undefined,
  reader: { '*': ['View'] },
  authors: { Author: ['View'] },
  catalogue: { Author: ['View'], Book: ['View', 'Call'] },
  editor: { Author: ['View', 'Insert', 'Update', 'Delete'] },
  inserter: { Author: ['Insert'] },
  caller: { LendingStatistics: ['Call'] },
  stranger: { Nothing: ['View', 'Insert', 'Update', 'Delete', 'Call'] },
};

let directory: string;
let library: SampleUpstream;
let gateway: Gateway;
let config: Config;
const keys = new Map<string, string>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'duogate-scopes-'));
  library = await startLibraryUpstream();
  config = readConfig({
    ...ACCESS,
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: join(directory, 'accounts.sqlite'),
    LIBRARY_URL: library.url,
    MESH_CONFIG: join(import.meta.dirname, '../../examples/library/.meshrc.yaml'),
  });
  await makeKeys();
  gateway = await startGateway(config);
});
afterAll(async () => {
  await gateway.close();
  await library.close();
  await rm(directory, { recursive: true });
});

async function makeKeys(): Promise<void> {
  const administration = await openAdministration(config);
  const email = 'librarian@example.com';
  await administration.addUser({ email, name: 'Ada', roles: ['Librarian', 'Admin'], password: PASSWORD });
  for (const [name, scope] of Object.entries(SCOPES)) {
    const limits = scope && { scope: readScope(scope) };
    keys.set(name, await administration.createKey(email, { name, ...limits }));
  }
  await administration.close();
}

function ask(name: string, call: string, body?: object, headers: object = {}): Promise<Response> {
  const [method = '', target = ''] = call.split(/ (.*)/);
  return fetch(`${gateway.url}${target}`, {
    method,
    headers: { 'x-api-key': keys.get(name) ?? '', 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const AUTHOR = { LastName: 'X', Languages: ['de'] };
const BOOK = "/odata/Book('9783400000009')";

type RequestByKeys = readonly [call: string, keys: readonly string[], body?: object];

/** A request to the names of the keys by which it is answered; by all others it is forbidden. */
const REQUESTS: readonly RequestByKeys[] = [
  ['GET /odata/Author', ['unlimited', 'reader', 'authors', 'catalogue', 'editor']],
  ['GET /odata/Author(1)', ['unlimited', 'reader', 'authors', 'catalogue', 'editor']],
  ['GET /odata/Author/$count', ['unlimited', 'reader', 'authors', 'catalogue', 'editor']],
  ['GET /odata/$entity?$id=Author(1)', ['unlimited', 'reader', 'authors', 'catalogue', 'editor']],
  ['GET /odata/Author(1)/Books', ['unlimited', 'reader', 'catalogue']],
  ['GET /odata/Author?$expand=Books', ['unlimited', 'reader', 'catalogue']],
  ['GET /odata/Author?$filter=Books/any(b:b/Price gt 1)', ['unlimited', 'reader', 'catalogue']],
  ['GET /odata/Author?$orderby=Books/$count', ['unlimited', 'reader', 'catalogue']],
  ['GET /odata/Author?$compute=$root/Book/$count as N', ['unlimited', 'reader', 'catalogue']],
  [`GET ${BOOK}`, ['unlimited', 'reader', 'catalogue']],
  [`GET ${BOOK}/Reviews`, ['unlimited', 'reader', 'catalogue']],
  [`GET ${BOOK}/Cover`, ['unlimited', 'reader', 'catalogue']],
  [`GET ${BOOK}/Copies`, ['unlimited', 'reader']],
  [`GET ${BOOK}/Library.GetAvailability()`, ['unlimited', 'catalogue']],
  ['GET /odata/LendingStatistics(From=2026-01-01)', ['unlimited', 'caller']],
  ['POST /odata/SendReminders', ['unlimited'], { DueBy: '2026-01-01' }],
  ['GET /odata/Member', ['unlimited', 'reader']],
  ['POST /odata/Author', ['unlimited', 'editor', 'inserter'], AUTHOR],
  ['PATCH /odata/Author(1)', ['unlimited', 'editor'], { LastName: 'X' }],
  ['DELETE /odata/Author(99999)', ['unlimited', 'editor']],
  ['PATCH /odata/House', ['unlimited'], { Name: 'X' }],
];

const NAMES = Object.keys(SCOPES);

/** Forbidden, or for a key that does not see a name that is read, unknown: in a path (404) or an option (400). */
const refusals = (call: string): readonly number[] => (call.startsWith('GET ') ? [400, 403, 404] : [403]);

/** The names of the keys by which it was answered. */
async function answered(
  outcome: (name: string) => Promise<number>,
  refused: readonly number[] = [403],
): Promise<readonly string[]> {
  const outcomes = await Promise.all(NAMES.map(async (name) => [name, await outcome(name)] as const));
  const strange = outcomes.filter(([, status]) => ![200, 201, 204, 404, ...refused].includes(status));
  expect(strange).toStrictEqual([]);
  return outcomes.flatMap(([name, status]) => (refused.includes(status) ? [] : [name]));
}

describe('a key with a scope', () => {
  it.for(REQUESTS)('%s is answered to %j', async ([call, allowed, body]) => {
    const statusOf = async (name: string) => (await ask(name, call, body)).status;
    expect(await answered(statusOf, refusals(call))).toStrictEqual(allowed);
  });

  it.for(REQUESTS)('%s in a batch is answered to %j', async ([call, allowed, body]) => {
    const [method = '', url = ''] = call.replace('/odata', '').split(/ (.*)/);
    const headers = { 'content-type': 'application/json' };
    const part = { id: '1', method, url: encodeURI(url.slice(1)), ...(body && { headers, body }) };
    const statusOf = async (name: string) => {
      const answer = await ask(name, 'POST /odata/$batch', { requests: [part] });
      return (await answer.json()).responses[0].status;
    };
    expect(await answered(statusOf, refusals(call))).toStrictEqual(allowed);
  });

  it.each([
    ['{ authors { id } }', ['unlimited', 'reader', 'authors', 'catalogue', 'editor']],
    ['{ authors { books { title } } }', ['unlimited', 'reader', 'catalogue']],
    [
      '{ authors(where: { books: { some: { title: { eq: "x" } } } }) { id } }',
      ['unlimited', 'reader', 'catalogue'],
    ],
    ['{ authorsConnection { nodes { id } } }', ['unlimited', 'reader', 'authors', 'catalogue', 'editor']],
    ['{ books { reviews { text } } }', ['unlimited', 'reader', 'catalogue']],
    ['{ lendingStatistics(from: "2026-01-01") { __typename } }', ['unlimited', 'caller']],
    ['{ members { id } }', ['unlimited', 'reader']],
    ['mutation { deleteAuthor(id: 99999) }', ['unlimited', 'editor']],
    [
      'mutation { createAuthor(input: { lastName: "X", languages: ["de"] }) { id } }',
      ['unlimited', 'editor', 'inserter'],
    ],
  ])('GraphQL %s is answered to %j', async (query, allowed) => {
    const statusOf = async (name: string) => {
      const { errors = [] } = await (await ask(name, 'POST /graphql', { query })).json();
      const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      return codes.includes('Forbidden') ? 403 : codes.length === 0 || codes.includes('NotFound') ? 200 : 400;
    };
    expect(await answered(statusOf)).toStrictEqual(allowed);
  });
});

const json = async (name: string, target: string, headers: object = {}) =>
  (await ask(name, `GET ${target}`, undefined, headers)).json();

const ALL = ['Author', 'Book', 'Copy', 'Loan', 'Member', 'ReadingList'];

/** The visible entity sets and mutations of each key. */
const SEEN: readonly (readonly [name: string, sets: readonly string[], mutations: readonly string[]])[] = [
  ['authors', ['Author'], []],
  ['catalogue', ['Author', 'Book'], []],
  ['reader', ALL, []],
  [
    'editor',
    ['Author'],
    [
      'createAuthor',
      'createAuthors',
      'deleteAuthor',
      'deleteAuthors',
      'replaceAuthor',
      'updateAuthor',
      'updateAuthors',
    ],
  ],
  ['stranger', [], []],
];

interface Named {
  readonly name: string;
}

describe.each(SEEN)('what the key %s knows of', (name, sets, mutations) => {
  it('is in the service document', async () => {
    const { value } = await json(name, '/odata');
    const listed = value.filter(({ kind = 'EntitySet' }) => kind === 'EntitySet');
    expect(listed.map((each: Named) => each.name).sort()).toStrictEqual(sets);
  });

  it('is in the metadata', async () => {
    const metadata = await json(name, '/odata/$metadata?$format=json');
    const schema = metadata.Library;
    const container = Object.values<Record<string, unknown>>(schema).find(
      (element) => element['$Kind'] === 'EntityContainer',
    );
    expect(ALL.filter((set) => container?.[set] !== undefined)).toStrictEqual(sets);
    expect(ALL.filter((set) => schema[set] !== undefined)).toStrictEqual(sets);
  });

  it('is in the introspection', async () => {
    const query = '{ __schema { mutationType { fields { name } } types { name } } }';
    const { data } = await (await ask(name, 'POST /graphql', { query })).json();
    const { mutationType, types } = data.__schema;
    expect((mutationType?.fields ?? []).map((field: Named) => field.name).sort()).toStrictEqual(mutations);
    const names = types.map((type: Named) => type.name);
    expect(ALL.filter((set) => names.includes(set))).toStrictEqual(sets);
  });

  it('is on the landing page', async () => {
    const { entitySets, apis } = await json(name, '/', { accept: 'application/json' });
    expect(entitySets.map((set: Named) => set.name).sort()).toStrictEqual(sets);
    expect(apis).toStrictEqual([]);
  });
});

describe('what is kept of another request', () => {
  it('is not told to a key of another scope', async () => {
    const headers = { accept: 'application/json;odata.metadata=full' };
    const linkFor = async (name: string) =>
      (await json(name, '/odata/Author(1)', headers))['Books@odata.navigationLink'];
    const links = [];
    for (const name of ['catalogue', 'catalogue', 'authors', 'unlimited']) links.push(await linkFor(name));
    const link = 'Author(1)/Books';
    expect(links).toStrictEqual([link, link, undefined, link]);
  });

  it('is found later by a key of the same scope alone', async () => {
    const headers = { prefer: 'respond-async' };
    const defer = () => ask('unlimited', 'GET /odata/Author', undefined, headers);
    let deferred = await defer();
    // What is there within a millisecond is answered at once.
    while (deferred.status === 200) deferred = await defer();
    expect(deferred.status).toBe(202);
    const { pathname } = new URL(deferred.headers.get('location') ?? '');
    expect((await ask('reader', `GET ${pathname}`)).status).toBe(404);
    expect((await ask('unlimited', `GET ${pathname}`)).status).not.toBe(404);
  });
});

describe('the role of an administrator', () => {
  it.each([
    ['unlimited', 200],
    ['reader', 403],
    ['editor', 403],
  ])('leads the key %s to the registry with %i', async (name, status) => {
    for (const path of ['/api/registry', '/api/registry/Library/access']) {
      expect([path, (await ask(name, `GET ${path}`)).status]).toStrictEqual([path, status]);
    }
  });

  it('lets no key make, list or revoke keys', async () => {
    for (const call of ['GET /api/auth/keys', 'POST /api/auth/keys', 'DELETE /api/auth/keys/x']) {
      const body = call.startsWith('POST') ? { name: 'x' } : undefined;
      expect([call, (await ask('editor', call, body)).status]).toStrictEqual([call, 401]);
    }
  });
});

describe('what a scope leaves out', () => {
  it('is told without a word about the role', async () => {
    const message = "This key's scope needs the permission View on Member.";
    expect((await json('authors', '/odata/Member')).error).toStrictEqual({ code: 'Forbidden', message });
  });

  it('is forbidden where a query is sent in a body (Part 1, 11.2.1.1)', async () => {
    const statusOf = async (options: string) => {
      const headers = { 'x-api-key': keys.get('authors') ?? '', 'content-type': 'text/plain' };
      const target = `${gateway.url}/odata/Author/$query`;
      return (await fetch(target, { method: 'POST', headers, body: options })).status;
    };
    expect([await statusOf('$top=1'), await statusOf('$expand=Books')]).toStrictEqual([200, 400]);
  });
});
