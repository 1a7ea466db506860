import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraphQL, type Faces, openFaces, userWith } from '../auth/faces.ts';
import { serveDocument } from '../openapi/served-document.ts';
import { serveDepot } from '../source/depot.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type RecordedLibrary, recordLibrary } from './recorded-library.ts';

const idOf = (...parts: readonly string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
const BOOK = idOf('Book', '9783400000009');
const COPY = idOf('Copy', '9783401379111', '1');

describe('node', () => {
  let library: RecordedLibrary;
  beforeAll(async () => {
    library = await recordLibrary(atEndOfFile);
  });
  const NODE =
    'query ($id: ID!) { node(id: $id) { __typename nodeId ... on Book { title } ... on Copy { copyNumber } } }';

  it('reads the entity whose identifier another answer has', async () => {
    expect(
      await library.graphql(
        '{ book(isbn: "9783400000009") { nodeId author { nodeId } } copies(skip: 2, take: 1) { nodeId } }',
      ),
    ).toStrictEqual({
      data: {
        book: { nodeId: BOOK, author: { nodeId: idOf('Author', '1') } },
        copies: [{ nodeId: idOf('Copy', '9783401379111', '2') }],
      },
    });
    expect(await library.graphql(NODE, { id: BOOK })).toStrictEqual({
      data: { node: { __typename: 'PrintedBook', nodeId: BOOK, title: 'The Crooked Ferry' } },
    });
    expect(await library.graphql(NODE, { id: COPY })).toStrictEqual({
      data: { node: { __typename: 'Copy', nodeId: COPY, copyNumber: '1' } },
    });
  });

  it.each([
    ['an entity that is not there', idOf('Author', '9999')],
    ['a set that is not there', idOf('Nothing', '1')],
    ['a key of another type', idOf('Author', 'x')],
    ['a key in another form', idOf('Author', '01')],
    ['too few parts of a key', idOf('Copy', '9783401379111')],
    ['an inherited name', idOf('__proto__', '1')],
    ['JSON of another kind', Buffer.from('{"length":2}').toString('base64url')],
    ['padding', `${BOOK}==`],
    ['another text', 'x'],
    ['no text', ''],
  ])('is null for %s', async (_, id) => {
    expect(await library.graphql('query ($id: ID!) { node(id: $id) { nodeId } }', { id })).toStrictEqual({
      data: { node: null },
    });
  });

  it('answers with what a change has made', async () => {
    const create = 'mutation { createAuthor(input: { lastName: "Nyberg", languages: [] }) { nodeId } }';
    expect(await library.graphql(create)).toStrictEqual({
      data: { createAuthor: { nodeId: idOf('Author', '13') } },
    });
  });

  it('reads fragments that apply to the entity, wherever they are', async () => {
    const query = `query ($ids: [ID!]!) {
      nodes(ids: $ids) { ...Any ... on Node { ... on Book { ...Any author { ... on Node { nodeId } } } } }
    }
    fragment Any on Node { nodeId ... on PrintedBook { pages } ... on Author { lastName } }`;
    expect(
      await library.graphql(query, { ids: [idOf('Author', '1'), BOOK, idOf('Author', '1')] }),
    ).toStrictEqual({
      data: {
        nodes: [
          { nodeId: idOf('Author', '1'), lastName: 'Varnholt' },
          { nodeId: BOOK, pages: 96, author: { nodeId: idOf('Author', '1') } },
          { nodeId: idOf('Author', '1'), lastName: 'Varnholt' },
        ],
      },
    });
  });
});

const asking =
  ({ ask }: Awaited<ReturnType<typeof serveDepot>>) =>
  async (query: string, variables = {}) =>
    JSON.parse((await ask('graphql', { query, variables })).text);

describe('nodes', () => {
  const CRATES = '{ ... on Crate { code } ... on Keeper { name } }';

  it('are read by the parameter for ids, in the order of the identifiers', async () => {
    const depot = await serveDepot();
    const ask = asking(depot);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) ${CRATES} }`;
    const ids = [
      ...[90, 3, 999, 41, 60, 7, 22, 100].map((id) => idOf('Crate', String(id))),
      idOf('Keeper', '503'),
    ];
    const expected = {
      data: {
        nodes: [
          { code: 'C-048' },
          { code: 'C-019' },
          null,
          { code: 'C-050' },
          { code: 'C-038' },
          { code: 'C-002' },
          { code: 'C-007' },
          { code: 'C-033' },
          { name: 'Keeper 3' },
        ],
      },
    };
    expect(await ask(query, { ids })).toStrictEqual(expected);
    const before = depot.targets().length;
    expect(await ask(query, { ids })).toStrictEqual(expected);
    expect(depot.targets().slice(before).toSorted()).toStrictEqual([
      '/crates/999',
      '/crates?per_page=20&ids=90,3,999,41,60,7,22,100',
      '/keepers/503',
    ]);
  });

  it('are limited in number', async () => {
    const ask = asking(await serveDepot({ BATCH_REQUESTS: '2' }));
    expect(await ask('{ nodes(ids: ["a", "b", "c"]) { nodeId } }')).toMatchObject({
      errors: [
        {
          message: 'ids: expected at most 2 entities (BATCH_REQUESTS), found 3.',
          path: ['nodes'],
          extensions: { code: 'BadRequest', limit: 'BATCH_REQUESTS' },
        },
      ],
    });
  });
});

const list = (schema: string) =>
  `{ responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/${schema}' } } } } } } }`;
const one = (schema: string) =>
  `{ parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } } } } }`;

/** Nodes of a tree, whose API has names of its own for what global identifiers need; drafts are of the same type. */
const TREE = `
openapi: 3.1.0
info: { title: Tree, version: '1' }
paths:
  /nodes: { get: ${list('Node')} }
  /nodes/{id}: { get: ${one('Node')} }
  /drafts: { x-odata: { entitySet: Draft }, get: ${list('Node')} }
  /drafts/{id}: { get: ${one('Node')} }
components:
  schemas:
    Node: { type: object, required: [id], properties: { id: { type: string }, node_id: { type: string }, row_id: { type: string }, parent: { type: string } } }
`;
const ROOT = { id: 'a/b "c"', node_id: 'own', row_id: 'r' };
const ANSWERS = {
  'GET /nodes': [ROOT],
  [`GET /nodes/${encodeURIComponent(ROOT.id)}`]: ROOT,
  'GET /drafts': [{ ...ROOT, node_id: 'draft' }],
  [`GET /drafts/${encodeURIComponent(ROOT.id)}`]: { ...ROOT, node_id: 'draft' },
};

describe('global identifiers', () => {
  it('leave the names of the API as they are', async () => {
    const { query } = await serveDocument(TREE, ANSWERS);
    expect(
      await query('{ nodes { __typename id nodeId nodeId_2 } drafts { nodeId nodeId_2 } }'),
    ).toStrictEqual({
      data: {
        nodes: [{ __typename: 'Node', id: ROOT.id, nodeId: 'own', nodeId_2: idOf('Node', ROOT.id) }],
        drafts: [{ nodeId: 'draft', nodeId_2: idOf('Drafts', ROOT.id) }],
      },
    });
    const nodes = `query ($ids: [ID!]!) { nodes_2(ids: $ids) { ... on Node { nodeId } } }`;
    expect(await query(nodes, { ids: [idOf('Drafts', ROOT.id), idOf('Node', ROOT.id)] })).toStrictEqual({
      data: { nodes_2: [{ nodeId: 'draft' }, { nodeId: 'own' }] },
    });
  });

  it('are called id with GRAPHQL_IDS=global', async () => {
    const { query } = await serveDocument(TREE, ANSWERS, undefined, { GRAPHQL_IDS: 'global' });
    expect(
      await query(
        '{ nodes_2(where: { rowId: { eq: "a/b \\"c\\"" } }) { __typename id rowId rowId_2 nodeId } node_2(rowId: "a/b \\"c\\"") { id } }',
      ),
    ).toStrictEqual({
      data: {
        nodes_2: [
          { __typename: 'Node_2', id: idOf('Node', ROOT.id), rowId: ROOT.id, rowId_2: 'r', nodeId: 'own' },
        ],
        node_2: { id: idOf('Node', ROOT.id) },
      },
    });
    expect(
      await query('query ($id: ID!) { node(id: $id) { id } }', { id: idOf('Node', ROOT.id) }),
    ).toStrictEqual({
      data: { node: { id: idOf('Node', ROOT.id) } },
    });
  });
});

describe('an entity that a user may not see', () => {
  let faces: Faces;
  beforeAll(async () => {
    const grants = (role: string) => ({
      type: 'object',
      required: ['id'],
      'x-odata': { grants: { [role]: ['View'] } },
      properties: { id: { type: 'string' } },
    });
    const schema = (name: string) => ({
      content: {
        'application/json': { schema: { type: 'array', items: { $ref: `#/components/schemas/${name}` } } },
      },
    });
    const read = (name: string) => ({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    });
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const paths = ['Memo', 'Secret'].flatMap((name) => [
      [`/${name}`, { get: { responses: { 200: { description: 'ok', ...schema(name) } } } }],
      [`/${name}/{id}`, { get: { parameters, responses: { 200: { description: 'ok', ...read(name) } } } }],
    ]);
    faces = await openFaces(
      'Memos',
      {
        openapi: '3.1.0',
        info: { title: 'Memos', version: '1' },
        paths: Object.fromEntries(paths),
        components: { schemas: { Memo: grants('Clerk'), Secret: grants('Boss') } },
      },
      ({ target }, reply) => (target.endsWith('/1') ? reply.json({ id: '1' }) : reply.send(404)),
    );
  });
  afterAll(() => faces.close());

  it('is null like one that is not there, without a call', async () => {
    const ids = [idOf('Memo', '1'), idOf('Memo', '2'), idOf('Secret', '1')].map((id) => JSON.stringify(id));
    const query = `{ nodes(ids: [${ids}]) { __typename } node(id: ${ids[2]}) { __typename } }`;
    expect(await askGraphQL(faces, userWith('Clerk'), query)).toStrictEqual({
      data: { nodes: [{ __typename: 'Memo' }, null, null], node: null },
    });
    expect(faces.targets()).not.toContain('GET /Secret/1');
    expect(await askGraphQL(faces, userWith('Boss'), query)).toStrictEqual({
      data: { nodes: [null, null, { __typename: 'Secret' }], node: { __typename: 'Secret' } },
    });
  });
});
