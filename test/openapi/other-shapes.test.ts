import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const THING = "{ $ref: '#/components/schemas/Thing' }";
const ID = '{ name: id, in: path, required: true, schema: { type: integer } }';
const answer = (schema: string) => `{ '200': { content: { application/json: { schema: ${schema} } } } }`;
const get = (id: string, schema: string, parameters = '') =>
  `get: { operationId: ${id}, ${parameters}responses: ${answer(schema)} }`;

/** `list` is what the document says that `/things` answers with. */
function documentOf(list: string, more = ''): string {
  return `
openapi: 3.1.0
info: { title: Things, version: '1' }${more}
paths:
  /things: { ${get('things', list)} }
  /things/{id}: { ${get('thing', THING, `parameters: [${ID}], `)} }
  /about: { ${get('about', "{ $ref: '#/components/schemas/About' }")} }
  /latest: { ${get('latest', THING, 'parameters: [{ name: of, in: query, schema: { type: string } }], ')} }
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    About: { type: object, properties: { version: { type: string } } }`;
}

const LIST = `{ type: array, items: ${THING} }`;
const ROWS = [
  { id: 1, name: 'a' },
  { id: 2, name: 'b' },
];
const [FIRST] = ROWS;
const READ = [
  { Id: 1, Name: 'a' },
  { Id: 2, Name: 'b' },
];

const notOne = (code = 502) => [
  code,
  {
    error: {
      code: 'UpstreamBadResponse',
      message:
        'The upstream service answered with a list where its document describes one object: an overlay can correct the schema of the answer.',
    },
  },
];

describe('a list of entities', () => {
  it.each([
    ['one of them', THING, ROWS, READ],
    ['one of them, which comes', THING, FIRST, READ.slice(0, 1)],
    ['one of them, where none comes', THING, [], []],
    ['a list, where one entity comes', LIST, FIRST, READ.slice(0, 1)],
  ])('whose document describes %s', async (_, schema, body, value) => {
    const served = await serveDocument(documentOf(schema), {
      'GET /things': body,
      'GET /things/1': FIRST,
    });
    expect(await served.ask('Thing')).toEqual([200, { value }]);
    expect(await served.ask('Thing?$orderby=Id')).toEqual([200, { value }]);
    expect(await served.ask('Thing?$count=true')).toEqual([200, { '@odata.count': value.length, value }]);
    expect(await served.ask('Thing(1)')).toMatchObject([200, READ[0]]);
  });

  it('that comes as something else is an error that says so', async () => {
    const served = await serveDocument(documentOf(LIST), { 'GET /things': { message: 'x' } });
    expect(await served.ask('Thing')).toEqual([
      502,
      {
        error: {
          code: 'UpstreamBadResponse',
          message:
            'The upstream service answered with one object where its document describes a list: an overlay can correct the schema of the answer.',
        },
      },
    ]);
  });
});

describe('one object', () => {
  it('that comes in a list is read', async () => {
    const served = await serveDocument(documentOf(LIST), {
      'GET /things/1': [FIRST],
      'GET /about': [{ version: '7' }],
      'GET /latest': [FIRST],
    });
    expect(await served.ask('Thing(1)')).toMatchObject([200, { Id: 1, Name: 'a' }]);
    expect(await served.ask('About')).toMatchObject([200, { Version: '7' }]);
    expect(await served.ask('Latest()')).toMatchObject([200, { Id: 1, Name: 'a' }]);
  });

  it('in whose place several come is an error that says so', async () => {
    const served = await serveDocument(documentOf(LIST), {
      'GET /things/1': ROWS,
      'GET /about': [{ version: '7' }, { version: '8' }],
      'GET /latest': ROWS,
    });
    for (const path of ['Thing(1)', 'About', 'Latest()']) expect(await served.ask(path)).toEqual(notOne());
    expect(await served.query('{ about { version } }')).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('an overlay can correct'),
          extensions: { code: 'UpstreamBadResponse' },
        },
      ],
    });
  });

  it('must be one in a strict document', async () => {
    const strict = documentOf(LIST, '\nx-odata: { strict: true }');
    const served = await serveDocument(strict, { 'GET /things': FIRST, 'GET /things/1': [FIRST] });
    expect(await served.ask('Thing(1)')).toEqual(notOne());
    expect((await served.ask('Thing'))[0]).toBe(502);
  });
});

const BOARD_ID = '{ name: id, in: path, required: true, schema: { type: string } }';

/** A read by a parameter at the end of its path, whose answer has an array of objects beside these properties. */
function boards(beside: string): string {
  return `
openapi: 3.1.0
info: { title: Boards, version: '1' }
paths:
  /boards/{id}:
    ${get('board', "{ $ref: '#/components/schemas/Board' }", `parameters: [${BOARD_ID}], `)}
components:
  schemas:
    Board: { type: object, properties: { ${beside}, resources: { type: array, items: { $ref: '#/components/schemas/Card' } } } }
    Card: { type: object, required: [key], properties: { key: { type: string } } }`;
}

describe('a read of one entity', () => {
  const BOARD = { id: 'b1', title: 'T', resources: [{ key: 'c1' }] };

  it('is no list of what is in it', async () => {
    const served = await serveDocument(boards('id: { type: string }, title: { type: string }'), {
      'GET /boards/b1': BOARD,
    });
    expect(await served.ask("BoardsGet(Id='b1')")).toMatchObject([
      200,
      { Id: 'b1', Title: 'T', Resources: [{ Key: 'c1' }] },
    ]);
  });

  it('is one if there is nothing beside it but what is said of pages', async () => {
    const served = await serveDocument(boards('total: { type: integer }'), {});
    expect(await served.csdl('<EntitySet ')).toEqual([
      expect.stringContaining('<EntitySet Name="Boards" EntityType="Test.BoardByBoardId"'),
    ]);
  });
});
