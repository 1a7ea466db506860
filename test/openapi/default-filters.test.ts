import { describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from './served-document.ts';

const TYPE = 'type: string, enum: [available, pending, sold]';

const answer = (schema: string) =>
  `responses: { "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`;

const PETS = '{ type: array, items: { $ref: "#/components/schemas/Pet" } }';

/** Pets in a shop and of owners, whose lists have a query parameter. */
const documentOf = (parameter: string, pages = '') => `
openapi: 3.1.0
info: { title: Test, version: "1" }
x-odata: { namespace: Test, grants: { User: [View] } }
paths:
  /pets: { get: { parameters: [${parameter}${pages}], ${answer(PETS)} } }
  /owners: { get: { ${answer('{ type: array, items: { $ref: "#/components/schemas/Owner" } }')} } }
  /owners/{ownerId}:
    get: { parameters: [{ name: ownerId, in: path, required: true, schema: { type: string } }], ${answer('{ $ref: "#/components/schemas/Owner" }')} }
  /owners/{ownerId}/pets:
    get: { parameters: [{ name: ownerId, in: path, required: true, schema: { type: string } }, ${parameter}], ${answer(PETS)} }
components:
  schemas:
    Owner: { type: object, properties: { id: { type: string } } }
    Pet: { type: object, properties: { id: { type: string }, size: { type: integer }, status: { type: string }, gone: { type: boolean } } }
`;

const STATUS = `{ name: status, in: query, schema: { ${TYPE}, default: available } }`;

const CAT = { id: 'cat', size: 1, status: 'available' };
const DOG = { id: 'dog', size: 2, status: 'pending' };
const COW = { id: 'cow', size: 3, status: 'sold' };
const OWL = { id: 'owl', size: 4, status: 'Sold' };
const ROWS = [CAT, DOG, COW, OWL];

/** The requests, in the order of their targets. */
const calls = (requests: ServedDocument['requests']) =>
  requests.map(({ method, target }) => `${method} ${target}`).toSorted();

const shown = ({ id, size, status }: typeof CAT) => ({ Id: id, Size: size, Status: status, Gone: null });

/** The answers by status, with the default for a call without one. */
const ANSWERS = {
  'GET /pets': [CAT],
  'GET /pets?status=available': [CAT],
  'GET /pets?status=pending': [DOG],
  'GET /pets?status=sold': [COW, OWL],
};

const CALLS = ['GET /pets?status=available', 'GET /pets?status=pending', 'GET /pets?status=sold'];

describe('a parameter with a default among its values', () => {
  it('is sent with each of them', async () => {
    const { ask, query, requests } = await serveDocument(documentOf(STATUS), ANSWERS);
    expect(await ask('Pet')).toEqual([200, { value: ROWS.map(shown) }]);
    expect(calls(requests)).toEqual(CALLS);
    expect(await ask('Pet?$select=Id&$top=1&$skip=2')).toEqual([200, { value: [{ Id: 'cow' }] }]);
    expect(await ask('Pet?$count=true&$top=0')).toEqual([200, { '@odata.count': 4, value: [] }]);
    expect(await ask('Pet?$count=true&$top=1&$select=Id')).toEqual([
      200,
      { '@odata.count': 4, value: [{ Id: 'cat' }] },
    ]);
    expect(await ask("Pet('dog')?$select=Status")).toEqual([
      200,
      { '@odata.id': "Pet('dog')", Status: 'pending' },
    ]);
    expect(
      await query('{ pets(order: [{ size: DESC }], take: 2) { id } petsConnection { totalCount } }'),
    ).toEqual({
      data: { pets: [{ id: 'owl' }, { id: 'cow' }], petsConnection: { totalCount: 4 } },
    });
  });

  it.each([
    ["Status eq 'pending'", ['GET /pets?status=pending'], ['dog']],
    ["'pending' eq Status and Size gt 1", ['GET /pets?status=pending'], ['dog']],
    ["Status in ('available','pending')", CALLS.slice(0, 2), ['cat', 'dog']],
    ["Status eq 'available' or Status eq 'sold'", [CALLS[0], CALLS[2]], ['cat', 'cow']],
    ["Status eq 'elsewhere'", CALLS, []],
    ["Status ne 'pending'", CALLS, ['cat', 'cow', 'owl']],
    ["Status eq 'pending' or Size eq 1", CALLS, ['cat', 'dog']],
  ])('is sent with what a condition fixes: %s', async (filter, expectedCalls, expected) => {
    const { ask, requests } = await serveDocument(documentOf(STATUS), ANSWERS);
    const [status, body] = await ask(`Pet?$filter=${encodeURIComponent(filter)}`);
    const { value } = body as { value: readonly { Id: string }[] };
    expect([status, value.map(({ Id }) => Id)]).toEqual([200, expected]);
    expect(calls(requests)).toEqual(expectedCalls);
  });

  it('is sent by GraphQL with what a condition fixes', async () => {
    const { query, requests } = await serveDocument(documentOf(STATUS), ANSWERS);
    expect(await query('{ pets(where: { status: { eq: "sold" } }) { id } }')).toEqual({
      data: { pets: [{ id: 'cow' }] },
    });
    expect(calls(requests)).toEqual([CALLS[2]]);
  });

  it('gives each entity once of an API that ignores it', async () => {
    const all = Object.fromEntries(CALLS.map((call) => [call, ROWS]));
    const { ask } = await serveDocument(documentOf(STATUS), all);
    expect(await ask('Pet?$orderby=Size&$select=Id')).toEqual([
      200,
      { value: ROWS.map(({ id }) => ({ Id: id })) },
    ]);
    expect(await ask("Pet?$select=Id&$filter=Status in ('available','pending')")).toEqual([
      200,
      { value: [{ Id: 'cat' }, { Id: 'dog' }] },
    ]);
    expect(await ask('Pet?$select=Id&$top=3')).toEqual([
      200,
      { value: [{ Id: 'cat' }, { Id: 'dog' }, { Id: 'cow' }] },
    ]);
    expect(await ask('Pet?$count=true&$top=0')).toEqual([200, { '@odata.count': 4, value: [] }]);
  });

  it('gives each entity once of an API that ignores it and has other values', async () => {
    const odd = ROWS.map((row) => ({ ...row, status: `is ${row.status}` }));
    const { ask, query } = await serveDocument(
      documentOf(STATUS),
      Object.fromEntries(CALLS.map((call) => [call, odd])),
    );
    const all = { value: ROWS.map(({ size }) => ({ '@odata.id': expect.any(String), Size: size })) };
    expect(await ask('Pet?$select=Size')).toEqual([200, all]);
    expect(await ask('Pet?$select=Size&$top=6')).toEqual([200, all]);
    expect(await ask('Pet?$select=Id&$skip=3')).toEqual([200, { value: [{ Id: 'owl' }] }]);
    expect(await ask('Pet?$count=true&$top=1&$select=Id')).toEqual([
      200,
      { '@odata.count': 4, value: [{ Id: 'cat' }] },
    ]);
    expect(await query('{ pets { size } petsConnection { totalCount } }')).toEqual({
      data: { pets: ROWS.map(({ size }) => ({ size })), petsConnection: { totalCount: 4 } },
    });
  });

  it('is read in all of the pages of each value', async () => {
    const pages =
      ', { name: offset, in: query, schema: { type: integer } }, { name: limit, in: query, schema: { type: integer, maximum: 2 } }';
    const { ask } = await serveDocument(documentOf(STATUS, pages), {
      'GET /pets?status=available&limit=2': [CAT, { ...CAT, id: 'kit' }],
      'GET /pets?status=available&offset=2&limit=2': [{ ...CAT, id: 'tom' }],
      'GET /pets?status=pending&limit=2': [DOG],
      'GET /pets?status=sold&limit=2': [],
    });
    const [status, body] = await ask('Pet?$select=Id');
    const { value } = body as { value: readonly { Id: string }[] };
    expect([status, value.map(({ Id }) => Id)]).toEqual([200, ['cat', 'kit', 'tom', 'dog']]);
  });

  it('is sent for the lists of owners, too', async () => {
    const of = (id: string, rows: readonly object[]) =>
      Object.fromEntries(
        ['available', 'pending', 'sold'].map((status) => [
          `GET /owners/${id}/pets?status=${status}`,
          rows.filter((row) => 'status' in row && row.status === status),
        ]),
      );
    const { ask, query } = await serveDocument(documentOf(STATUS), {
      'GET /owners': [{ id: 'a' }, { id: 'b' }],
      'GET /owners/a': { id: 'a' },
      ...of('a', [CAT, COW]),
      ...of('b', [DOG]),
    });
    expect(await ask('Owner?$expand=Pets($select=Id)')).toEqual([
      200,
      {
        value: [
          { Id: 'a', Pets: [{ Id: 'cat' }, { Id: 'cow' }] },
          { Id: 'b', Pets: [{ Id: 'dog' }] },
        ],
      },
    ]);
    expect(await ask("Owner('a')/Pets?$count=true&$top=0")).toEqual([200, { '@odata.count': 2, value: [] }]);
    expect(await query('{ owners { pets { id } } }')).toEqual({
      data: { owners: [{ pets: [{ id: 'cat' }, { id: 'cow' }] }, { pets: [{ id: 'dog' }] }] },
    });
  });
});

describe('a parameter with a value for all entities', () => {
  it.each([
    [
      '{ name: status, in: query, schema: { type: string, enum: [available, sold, all], default: available } }',
      'status=all',
    ],
    ['{ name: status, in: query, schema: { type: string, enum: ["*", sold], default: sold } }', 'status=%2A'],
    ['{ name: filter, in: query, schema: { type: string, enum: [mine, Any], default: mine } }', 'filter=Any'],
    ['{ name: all, in: query, schema: { type: boolean, default: false } }', 'all=true'],
    [
      '{ name: status, in: query, schema: { type: string, default: sold }, x-odata: { all: every } }',
      'status=every',
    ],
    [
      `{ name: status, in: query, schema: { type: array, items: { ${TYPE} }, default: [sold] }, style: form, explode: false }`,
      'status=available,pending,sold',
    ],
  ])('is sent with it: %s', async (parameter, sentAs) => {
    const target = `GET /pets?${sentAs}`;
    const { ask, requests } = await serveDocument(documentOf(parameter), { [target]: ROWS });
    expect(await ask('Pet?$count=true&$top=0')).toEqual([200, { '@odata.count': 4, value: [] }]);
    expect(calls(requests)).toEqual([target]);
  });

  it('is sent with what a condition fixes', async () => {
    const parameter =
      '{ name: status, in: query, schema: { type: string, enum: [available, sold, all], default: available } }';
    const { ask } = await serveDocument(documentOf(parameter), { 'GET /pets?status=sold': [COW] });
    expect(await ask("Pet?$filter=Status eq 'sold'&$select=Id")).toEqual([200, { value: [{ Id: 'cow' }] }]);
  });
});

describe('a default that nothing undoes', () => {
  const GONE = '{ name: gone, in: query, schema: { type: boolean, default: false } }';

  it('is in the description of the set, and a finding', async () => {
    const { ask, csdl, entries, query } = await serveDocument(documentOf(GONE), { 'GET /pets': [CAT] });
    expect(await ask('Pet?$count=true&$top=0')).toEqual([200, { '@odata.count': 1, value: [] }]);
    const description = 'The API leaves out entities by its default: gone is false.';
    expect(await csdl(`<Annotation Term="Core.Description" String="${description}"`)).toHaveLength(1);
    expect(await query('{ __type(name: "Query") { fields { name description } } }')).toMatchObject({
      data: { __type: { fields: expect.arrayContaining([{ name: 'pets', description }]) } },
    });
    expect(entries()).toContainEqual(
      expect.objectContaining({
        others: 1,
        msg: 'The API takes gone to be false where it is not sent: the list may lack entities with other values; x-odata.all of the parameter names the value for all of them, or is false where these are meant',
      }),
    );
  });

  it('gives way to a condition', async () => {
    const { ask, requests } = await serveDocument(documentOf(GONE), {
      'GET /pets?gone=true': [{ ...COW, gone: true }],
    });
    expect(await ask('Pet?$filter=Gone eq true&$select=Id')).toEqual([200, { value: [{ Id: 'cow' }] }]);
    expect(calls(requests)).toEqual(['GET /pets?gone=true']);
  });

  it.each([
    [
      'is meant',
      '{ name: status, in: query, schema: { type: string, default: sold }, x-odata: { all: false } }',
    ],
    [
      'is meant among others',
      `{ name: status, in: query, schema: { ${TYPE}, default: sold }, x-odata: { all: false } }`,
    ],
    [
      'is left alone',
      `{ name: status, in: query, schema: { ${TYPE}, default: sold }, x-odata: { derive: false } }`,
    ],
    ['is all', '{ name: status, in: query, schema: { type: string, enum: [sold, all], default: all } }'],
    ['is nothing', '{ name: status, in: query, schema: { type: string, default: none } }'],
    ['sorts', '{ name: sort, in: query, schema: { type: string, enum: [id, size, all], default: id } }'],
    [
      'chooses what is shown',
      '{ name: view, in: query, schema: { type: string, enum: [all, few], default: few } }',
    ],
  ])('is not sent where it %s', async (_, parameter) => {
    const { ask, csdl, entries, requests } = await serveDocument(documentOf(parameter), {
      'GET /pets': [COW],
    });
    expect(await ask('Pet?$count=true&$top=0')).toEqual([200, { '@odata.count': 1, value: [] }]);
    expect(calls(requests)).toEqual(['GET /pets']);
    expect(await csdl('<Annotation Term="Core.Description" String="The API leaves')).toEqual([]);
    expect(entries().filter(({ msg }) => /The API takes/.test(String(msg)))).toEqual([]);
  });
});
