import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { SHELF_DOCUMENT, shelf } from './budget.document.ts';

/** The shelf, under limits that may be lower than by default. */
async function open(limits: Readonly<Record<string, string>> = {}) {
  const upstream = await startStandInUpstream(shelf);
  onTestFinished(() => upstream.close());
  const project = createProject({
    'shelf.yaml': SHELF_DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Shelf', './shelf.yaml', upstream.url)}`,
  });
  const { gateway } = await serveProject(project, limits);
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${gateway.url}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  return { upstream, ask, get: (path: string) => ask(`/odata/${encodeURI(path)}`) };
}

const steps = (count: number, step: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => step(index)).join('/');

const doubling = steps(18, (index) => {
  const before = index === 0 ? 'Title' : `A${index - 1}`;
  return `compute(concat(${before},${before}) as A${index})`;
});

/** Requests that would cause much work → the limits that stop them. */
const ATTACKS: readonly (readonly [what: string, path: string, limit: string])[] = [
  ['texts that double', `Book?$apply=topcount(1,Price)/${doubling}`, 'QUERY_TEXT_LENGTH'],
  [
    'texts that are many',
    `Book?$apply=${doubling.split('/').slice(0, 12).join('/')}`,
    'QUERY_TEXT_CHARACTERS',
  ],
  [
    'entities that lead to each other',
    'Book?$expand=Author($expand=Books($expand=Author($expand=Books)))',
    'QUERY_ROWS',
  ],
  [
    'paths that lead to and fro',
    'Book?$filter=not Author/Books/any(a:a/Author/Books/any(b:b/Author/Books/any(c:c/Price lt 0)))',
    'QUERY_ROW_ITEMS',
  ],
  [
    'sets of sets',
    '$crossjoin(Book,Author)?$apply=concat(identity,concat(identity,concat(identity,identity)))/concat(identity,concat(identity,identity))/concat(identity,concat(identity,concat(identity,identity)))',
    'QUERY_ROWS',
  ],
  ['instances that double', `Book?$apply=${steps(10, () => 'concat(identity,identity)')}`, 'QUERY_ROWS'],
  [
    'a set within a set',
    'Book?$filter=$root/Book/any(a:$root/Book/any(b:a/Price gt b/Price and b/Price lt 0))',
    'QUERY_',
  ],
];

const cased = (path: string): string => 'toupper(tolower('.repeat(4) + path + '))'.repeat(4);

/** A million texts are turned into others, eight times each. */
const LONG = `Book?$count=true&$select=Id&$filter=$root/Book/any(a:indexof(${cased('a/Title')},${cased('Title')}) eq 7) eq false`;

describe('a request that makes much of little', () => {
  it.each(ATTACKS)('is refused: %s', async (_, path, limit) => {
    const { get } = await open();
    const { status, text } = await get(path);
    expect([status, JSON.parse(text).error.code]).toStrictEqual([400, 'BadRequest']);
    expect(text).toContain(`(${limit}`);
    expect((await get('Book/$count')).text).toBe('1000');
  });

  it('is refused where its answer is too long', async () => {
    const { get } = await open({ ANSWER_MIB: '1' });
    const { status, text } = await get('Book?$expand=Author($expand=Books)');
    expect([status, JSON.parse(text).error.message]).toStrictEqual([
      413,
      'The request comes to more than 1048576 bytes in the answer (ANSWER_MIB): ask for less at a time.',
    ]);
    expect((await get('Book?$select=Id&$top=1')).status).toBe(200);
  });

  it('is refused where it takes long', async () => {
    const { get } = await open({ QUERY_MS: '20' });
    const { status, text } = await get(LONG);
    expect([status, text]).toStrictEqual([400, expect.stringContaining('(QUERY_MS)')]);
  });

  it('does not keep others waiting', async () => {
    const { get, ask, upstream } = await open({ QUERY_MS: '60000' });
    let isDone = false;
    const long = get(LONG).then((answer) => {
      isDone = true;
      return answer;
    });
    await expect.poll(() => upstream.requests.length, { interval: 1 }).toBe(2);
    for (let requested = 0; requested < 3; requested += 1)
      expect((await ask('/health/live')).status).toBe(200);
    expect(isDone).toBe(false);
    expect((await long).status).toBe(200);
  });

  it('is refused where a list has too many literals', async () => {
    const { ask } = await open();
    const list = Array.from({ length: 5001 }, (_, index) => `'${index}'`).join();
    const query = (literals: string) =>
      ask('/odata/Book/$query', {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: `$select=Id&$filter=Title in (${literals})`,
      });
    const { status, text } = await query(list);
    expect([status, text]).toStrictEqual([
      400,
      expect.stringContaining('$filter: expected at most 5000 literals in lists (QUERY_LITERALS)'),
    ]);
    expect((await query(list.split(',').slice(1).join())).status).toBe(200);
  });
});

describe('a batch', () => {
  it('has one budget for all of its parts', async () => {
    const { ask } = await open({ QUERY_ROWS: '3500' });
    const part = (id: number) => ({
      id: String(id),
      method: 'GET',
      url: 'Book?$expand=Author&$select=Id',
      dependsOn: id > 1 ? [String(id - 1)] : [],
    });
    const { text } = await ask('/odata/$batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'continue-on-error' },
      body: JSON.stringify({ requests: [1, 2, 3, 4, 5].map(part) }),
    });
    const statuses = JSON.parse(text).responses.map(({ status }: { status: number }) => status);
    expect(statuses).toStrictEqual([200, 200, 200, 400, 424]);
    expect(text).toContain('(QUERY_ROWS)');
  });

  it('of nothing but delimiters is read once', async () => {
    const { ask } = await open();
    const { status } = await ask('/odata/$batch', {
      method: 'POST',
      headers: { 'content-type': 'multipart/mixed; boundary=b' },
      body: `x${'--b '.repeat(250_000)}`,
    });
    expect(status).toBe(400);
  });
});

describe('a request that is answered later', () => {
  it('has a share of what others may take', async () => {
    const { ask } = await open({ QUERY_ROWS: '3500' });
    const url = '/odata/Book?$expand=Author&$select=Id';
    expect((await ask(url)).status).toBe(200);
    const { status, text } = await ask(url, { headers: { prefer: 'respond-async, wait=30' } });
    expect([status, text]).toStrictEqual([400, expect.stringContaining('more than 875 rows')]);
    expect((await ask(url)).status).toBe(200);
  });
});

describe('a GraphQL document that makes much of little', () => {
  it('is refused, and told which limit it meets', async () => {
    const { ask } = await open({ QUERY_ROWS: '5000' });
    const graphql = async (query: string) => {
      const { text } = await ask('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return JSON.parse(text);
    };
    const { errors } = await graphql('{ books { author { books { title } } } }');
    expect(errors[0].extensions).toStrictEqual({
      code: 'BadRequest',
      limit: 'QUERY_ROWS',
      http: { status: 400 },
    });
    expect((await graphql('{ books { author { name } } }')).errors).toBeUndefined();
  });

  it('is refused where its answer takes long to be put together', async () => {
    const { ask } = await open({ QUERY_MS: '150' });
    const { text } = await ask('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: '{ books { author { books { id title authorId price a: title b: title c: title } } } }',
      }),
    });
    const { errors } = JSON.parse(text);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BadRequest', limit: 'QUERY_MS' });
  });
});
