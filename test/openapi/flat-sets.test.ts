import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS, bearer, PASSWORD } from '../auth/account-client.ts';
import { roleKeys } from '../support/role-keys.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { SHELF, shelfDocument } from './flat-sets.documents.ts';
import { serveDocument } from './served-document.ts';

const ANSWERS = {
  'GET /books': [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
  'GET /books/1/reviews': [
    { id: 'a', stars: 3 },
    { id: 'b', stars: 5 },
  ],
  'GET /books/2/reviews': [],
  'GET /books/3/reviews': [{ id: 'a', stars: 1, book_id: 7 }],
  'GET /books/3/reviews/a': { id: 'a', stars: 1 },
};

const A1 = { Id: 'a', Stars: 3, BookId: 1 };
const B1 = { Id: 'b', Stars: 5, BookId: 1 };
const A3 = { Id: 'a', Stars: 1, BookId: 3 };

describe('a set over all that the entities of another set contain', () => {
  it.each([
    ['BooksReviews', { value: [A1, B1, A3] }],
    ['BooksReviews?$filter=BookId eq 1', { value: [A1, B1] }],
    ['BooksReviews?$filter=BookId in (3,1)&$orderby=Stars', { value: [A3, A1, B1] }],
    ['BooksReviews?$filter=BookId eq 3 or BookId eq 1', { value: [A3, A1, B1] }],
    ['BooksReviews?$filter=BookId eq 9', { value: [] }],
    ['BooksReviews?$filter=Stars gt 2&$count=true', { '@odata.count': 2, value: [A1, B1] }],
    ['BooksReviews?$filter=BookId gt 1', { value: [A3] }],
    ['BooksReviews?$skip=1&$top=1', { value: [B1] }],
    ['BooksReviews?$skip=2&$top=5&$count=true', { '@odata.count': 3, value: [A3] }],
    ['BooksReviews?$top=0&$count=true', { '@odata.count': 3, value: [] }],
    ['BooksReviews?$orderby=Stars desc&$top=1', { value: [B1] }],
    [
      'BooksReviews?$apply=groupby((BookId),aggregate($count as N))',
      {
        value: [
          { '@odata.id': null, BookId: 1, 'N@odata.type': '#Decimal', N: 2 },
          { '@odata.id': null, BookId: 3, 'N@odata.type': '#Decimal', N: 1 },
        ],
      },
    ],
    ["BooksReviews(BookId=3,Id='a')", A3],
    ['Book(1)/Reviews', { value: [A1, B1].map((review) => ({ ...review, BookId: null })) }],
  ])('answers %s', async (path, expected) => {
    const { ask } = await serveDocument(SHELF, ANSWERS);
    expect(await ask(path)).toEqual([200, expected]);
  });

  it('is counted', async () => {
    const { gateway } = await serveDocument(SHELF, ANSWERS);
    const response = await fetch(`${gateway.url}/odata/BooksReviews/$count`);
    expect(await response.text()).toBe('3');
  });

  it('is served as GraphQL, beside what its owners contain', async () => {
    const { query } = await serveDocument(SHELF, ANSWERS);
    const text = `{
      some: allBookReviews(where: { bookId: { eq: 1 } }, order: { stars: DESC }) { bookId id }
      allBookReviewsConnection(first: 2) { totalCount nodes { bookId stars } }
      bookReviews(id: 3) { id }
    }`;
    expect(await query(text)).toEqual({
      data: {
        some: [
          { bookId: '1', id: 'b' },
          { bookId: '1', id: 'a' },
        ],
        allBookReviewsConnection: {
          totalCount: 3,
          nodes: [
            { bookId: '1', stars: 3 },
            { bookId: '1', stars: 5 },
          ],
        },
        bookReviews: [{ id: 'a' }],
      },
    });
  });

  it('is created in where the properties say', async () => {
    const { ask, lastSent } = await serveDocument(SHELF, {
      'POST /books/2/reviews': { id: 'c', stars: 4 },
    });
    const answer = await ask('BooksReviews', 'POST', { BookId: 2, Stars: 4 });
    expect([answer, lastSent()]).toEqual([
      [201, { Id: 'c', Stars: 4, BookId: 2 }],
      'POST /books/2/reviews {"stars":4}',
    ]);
  });

  it('is changed and deleted from by key', async () => {
    const { ask, lastSent } = await serveDocument(SHELF, {
      ...ANSWERS,
      'DELETE /books/3/reviews/a': '',
    });
    await ask("BooksReviews(BookId=3,Id='a')", 'DELETE');
    expect(lastSent()).toBe('DELETE /books/3/reviews/a');
  });

  it('demands no filter in $metadata', async () => {
    const { csdl } = await serveDocument(SHELF, ANSWERS);
    expect(await csdl('<EntitySet')).toEqual([
      '<EntitySet Name="Book" EntityType="Test.Book"/>',
      '<EntitySet Name="BooksReviews" EntityType="Test.BookReview">',
    ]);
    expect(await csdl('<PropertyValue Property="RequiresFilter"')).toEqual([]);
  });

  it.each([
    ['another name', 'entitySet: Reviews', ['Book', 'Reviews']],
    ['none', 'entitySet: false', ['Book']],
    ['none in a strict document', '', ['Book'], 'strict: true'],
    ['a name in a strict document', 'entitySet: Reviews', ['Book', 'Reviews'], 'strict: true'],
  ])('has %s where the document says so', async (_, word, expected, document = '') => {
    const settings = { list: `x-odata: { ${word} }`, document: `x-odata: { ${document} }` };
    const { entitySets } = await serveDocument(shelfDocument(settings), ANSWERS);
    expect(await entitySets()).toEqual(expected);
  });

  it('is none where the entities are in a set of their own', async () => {
    const { entitySets } = await serveDocument(
      shelfDocument({
        paths: `/reviews:
    get:
      operationId: allReviews
      responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Review" } } } } } }`,
      }),
    );
    expect(await entitySets()).toEqual(['Book', 'Review']);
  });
});

describe('who may see what entities contain, and not these', () => {
  const GRANTED = shelfDocument({
    book: 'x-odata: { grants: { Owner: [View] } },',
    review: 'x-odata: { grants: { Owner: [View], Guest: [View] } },',
  });

  it.each([
    ['Guest', 'BooksReviews', 403, 'Your role needs the permission View on Book.'],
    ['Guest', 'BooksReviews?$top=1', 403, 'Your role needs the permission View on Book.'],
    ['Guest', 'BooksReviews/$count', 403, 'Your role needs the permission View on Book.'],
    ['Guest', 'BooksReviews?$filter=Stars eq 1', 403, 'Your role needs the permission View on Book.'],
    ['Guest', 'BooksReviews?$filter=BookId eq 3', 200, [A3]],
    ['Owner', 'BooksReviews', 200, [A1, B1, A3]],
  ])('%s asks %s', async (role, path, status, expected) => {
    const { ask, requests } = await serveGuarded(GRANTED);
    const { status: answered, json } = await ask(role, path);
    expect([answered, json.value ?? json.error?.message]).toEqual([status, expected]);
    if (status === 403) expect(requests()).toEqual([]);
  });

  it('is read by a key for what the landing page says', async () => {
    const { send, keyFor, url } = await serveGuarded(GRANTED);
    const connectionOf = async (role: string) => {
      const { entitySets } = (await (await send(role, '')).json()) as { entitySets: readonly OfferedSet[] };
      return entitySets.find(({ name }) => name === 'BooksReviews')?.connection;
    };
    const connection = await connectionOf('Owner');
    expect([connection, await connectionOf('Guest')]).toEqual([
      { entitySets: ['BooksReviews', 'Book'], query: '{ allBookReviews(take: 5) { id bookId stars } }' },
      { entitySets: ['BooksReviews'], filteredBy: ['BookId'] },
    ]);
    const names = connection?.entitySets ?? [];
    const key = await keyFor('Owner', Object.fromEntries(names.map((name) => [name, ['View']])));
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const read = await fetch(`${url}/odata/BooksReviews`, { headers });
    expect([read.status, ((await read.json()) as Answered).value]).toEqual([200, [A1, B1, A3]]);
    const body = JSON.stringify({ query: connection?.query });
    const requested = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    expect(await requested.json()).toMatchObject({ data: { allBookReviews: [{}, {}, {}] } });
  });

  it('is told in $metadata that a filter must say whose', async () => {
    const { text } = await serveGuarded(GRANTED);
    const metadata = await Promise.all(['Guest', 'Owner'].map((role) => text(role, '$metadata')));
    expect(metadata.map((xml) => xml.includes('Property="RequiresFilter"'))).toEqual([true, false]);
  });

  it('is created in by who may insert and not view, who is shown nothing of it', async () => {
    const { send, requests } = await serveGuarded(
      shelfDocument({
        book: 'x-odata: { grants: { Owner: [View], Guest: [View] } },',
        review: 'x-odata: { grants: { Owner: [View, Insert], Guest: [Insert] } },',
      }),
    );
    const requested = '{ __schema { mutationType { fields { name } } queryType { fields { name } } } }';
    const shown = await Promise.all(
      ['Guest', 'Owner'].map(async (role) => {
        const text = await (await send(role, 'graphql', { query: requested })).text();
        return ['allBookReviews', 'createBookReview', 'createAll'].map((name) => text.includes(name));
      }),
    );
    expect(shown).toEqual([
      [false, false, false],
      [true, true, false],
    ]);
    const answers = await Promise.all(
      ['Guest', 'Owner'].map((role) => send(role, 'odata/BooksReviews', { BookId: 2, Stars: 4 })),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 201]);
    expect(requests()).toEqual(['/books/2/reviews', '/books/2/reviews']);
  });

  it('has what may be done with the ones that contain them, where nothing else is said', async () => {
    const { ask } = await serveGuarded(
      shelfDocument({
        book: 'x-odata: { grants: { Owner: [View] } },',
        document: 'x-odata: { grants: { Guest: [View] } }',
      }),
    );
    const answers = await Promise.all(['Guest', 'Owner'].map((role) => ask(role, 'BooksReviews')));
    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
  });
});

interface OfferedSet {
  readonly name: string;
  readonly connection?: { readonly entitySets: readonly string[]; readonly query?: string };
}

interface Answered {
  readonly value?: unknown;
  readonly error?: { readonly message: string };
}

/** The document before the answers, with an account of each role. */
async function serveGuarded(document: string) {
  const upstream = await startStandInUpstream(({ method, target }, reply) => {
    if (method === 'POST') return reply.json({ id: 'c', stars: 4 });
    const answer = Object.entries(ANSWERS).find(([asked]) => asked === `GET ${target}`)?.[1];
    if (answer === undefined) reply.send(404);
    else reply.json(answer);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    'api.yaml': document,
    '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
  });
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  const config = readConfig({ ...environment, MESH_CONFIG: project.path('.meshrc.yaml') });
  const keys = await roleKeys(config, ['Owner', 'Guest']);
  const { gateway } = await serveProject(project, environment);
  const send = (role: string, path: string, body?: object) =>
    fetch(`${gateway.url}/${path}`, {
      headers: { 'x-api-key': keys.get(role) ?? '', 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  const get = (role: string, path: string) => send(role, `odata/${path}`);
  return {
    send,
    url: gateway.url,
    /** A key of the account with that role, for a part of what it may do. */
    async keyFor(role: string, scope: object): Promise<string> {
      const post = async (path: string, body: object, session = '') => {
        const headers = { 'content-type': 'application/json', ...(session && bearer(session)) };
        const url = `${gateway.url}/api/auth/${path}`;
        return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      };
      const account = { email: `${role.toLowerCase()}@example.com`, password: PASSWORD };
      const { token } = (await post('sign-in/email', account)) as { token: string };
      return ((await post('keys', { name: 'Excel', scope }, token)) as { key: string }).key;
    },
    requests: () => upstream.requests.map(({ target }) => target),
    text: async (role: string, path: string) => (await get(role, path)).text(),
    async ask(role: string, path: string) {
      const response = await get(role, path);
      return { status: response.status, json: (await response.json()) as Answered };
    },
  };
}
