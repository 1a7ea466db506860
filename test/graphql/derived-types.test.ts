import { beforeAll, describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type RecordedLibrary, recordLibrary } from './recorded-library.ts';

let library: RecordedLibrary;
beforeAll(async () => {
  library = await recordLibrary(atEndOfFile);
});

const AUDIO = ['9783406895555', '9783415170216', '9783423444873', '9783431719536', '9783439994195'].concat([
  '9783448268850',
  '9783456543512',
  '9783464818176',
  '9783473092833',
  '9783481367497',
]);
const listed = (isbns: readonly string[]) => isbns.map((isbn) => ({ isbn }));

describe('entities of a derived type', () => {
  it.each<readonly [where: string, isbns: readonly string[]]>([
    ['{ ofType: { audioBook: {} } }', AUDIO],
    ['{ ofType: { audioBook: { narrator: { startsWith: "Y" } } } }', ['9783439994195']],
    [
      '{ ofType: { audioBook: { narrator: { nstartsWith: "Y" } } } }',
      AUDIO.filter((each) => each !== '9783439994195'),
    ],
    [
      '{ ofType: { audioBook: { narrator: { neq: "x" }, genre: { eq: crime } } } }',
      ['9783406895555', '9783415170216'],
    ],
    ['{ and: [{ ofType: { audioBook: {} } }, { ofType: { printedBook: {} } }] }', []],
  ])('are found by where: %s', async (where, isbns) => {
    const answer = await library.graphql(`{ books(where: ${where}) { isbn } }`);
    expect(answer).toStrictEqual({ data: { books: listed(isbns) } });
  });

  it('are found behind relations', async () => {
    const where = '{ books: { some: { ofType: { audioBook: { narrator: { startsWith: "Y" } } } } } }';
    expect(await library.graphql(`{ authors(where: ${where}) { id } }`)).toStrictEqual({
      data: { authors: [{ id: '6' }] },
    });
  });

  it('are sorted by their own properties, and paged in that order', async () => {
    const order = '[{ ofType: { audioBook: { narrator: DESC } } }, { title: ASC }]';
    const page = async (after: string) => {
      const query = `{ booksConnection(first: 2, ${after} order: ${order}) { nodes { ... on AudioBook { narrator } } pageInfo { endCursor } } }`;
      const { data } = (await library.graphql(query)) as {
        data: {
          booksConnection: { nodes: readonly { narrator: string }[]; pageInfo: { endCursor: string } };
        };
      };
      return data.booksConnection;
    };
    const first = await page('');
    const second = await page(`after: "${first.pageInfo.endCursor}",`);
    expect([...first.nodes, ...second.nodes].map(({ narrator }) => narrator)).toStrictEqual([
      'Yara Ivanek',
      'Sunniva Hooft',
      'Ravi Nyberg',
      'Pavel Uhlig',
    ]);
  });

  it('are changed by their own properties', async () => {
    expect(
      await library.graphql(
        'mutation { updateAudioBook(isbn: "9783439994195", input: { narrator: "Z" }) { title narrator author { id } } }',
      ),
    ).toStrictEqual({
      data: {
        updateAudioBook: { title: 'A Winter in the Low Islands', narrator: 'Z', author: { id: '6' } },
      },
    });
    const input =
      '{ title: "T", genre: crime, price: 1, narrator: "N", runningTime: "PT2H", author: { link: { id: 2 } } }';
    expect(
      await library.graphql(
        `mutation { replaceAudioBook(isbn: "9783439994195", input: ${input}) { title narrator subtitle } }`,
      ),
    ).toStrictEqual({ data: { replaceAudioBook: { title: 'T', narrator: 'N', subtitle: null } } });
  });

  it('are not changed as those of another type', async () => {
    library.takeChanges();
    expect(
      await library.graphql(
        'mutation { updatePrintedBook(isbn: "9783439994195", input: { pages: 3 }) { isbn } }',
      ),
    ).toMatchObject({
      errors: [
        {
          message: "There is no Book('9783439994195')/Library.PrintedBook.",
          extensions: { code: 'NotFound' },
        },
      ],
    });
    expect(library.takeChanges()).toStrictEqual([]);
  });

  it('are all there are if the API has a type for each value of the discriminator', async () => {
    const query = '{ __type(name: "Mutation") { fields { name } } }';
    const { data } = (await library.graphql(query)) as {
      data: { __type: { fields: readonly { name: string }[] } };
    };
    const names = data.__type.fields
      .map(({ name }) => name)
      .filter((name) => /^(create|replace|update).*Book$/.test(name));
    expect(names.toSorted()).toStrictEqual([
      'createAudioBook',
      'createPrintedBook',
      'replaceAudioBook',
      'replacePrintedBook',
      'updateAudioBook',
      'updateBook',
      'updatePrintedBook',
    ]);
  });
});

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;

/** A payment is a value with two kinds; a customer is an entity in the JSON of an order. */
const ORDERS = `
openapi: 3.1.0
info: { title: Orders, version: '1' }
paths:
  /customers:
    get: { operationId: customers, responses: { '200': { description: x, ${json(`{ type: array, items: ${ref('Customer')} }`)} } } }
  /customers/{id}:
    get: { operationId: customer, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: x, ${json(ref('Customer'))} } } }
  /orders:
    get: { operationId: orders, responses: { '200': { description: x, ${json(`{ type: array, items: ${ref('Order')} }`)} } } }
    post: { operationId: addOrder, requestBody: { ${json(ref('Order'))} }, responses: { '201': { description: x, ${json(ref('Order'))} } } }
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: order, responses: { '200': { description: x, ${json(ref('Order'))} } } }
    patch: { operationId: changeOrder, requestBody: { ${json(ref('Order'))} }, responses: { '200': { description: x, ${json(ref('Order'))} } } }
components:
  schemas:
    Customer: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Order:
      type: object
      required: [id]
      properties:
        id: { type: integer, readOnly: true }
        payment: ${ref('Payment')}
        refunds: { type: array, items: ${ref('Payment')} }
        customer: ${ref('Customer')}
        watchers: { type: array, items: ${ref('Customer')} }
    Payment:
      type: object
      required: [kind]
      discriminator: { propertyName: kind, mapping: { card: '#/components/schemas/Card', cash: '#/components/schemas/Cash' } }
      properties: { kind: { type: string, enum: [card, cash] }, amount: { type: integer } }
    Card: { allOf: [${ref('Payment')}, { type: object, required: [number], properties: { number: { type: string }, holder: { type: string } } }] }
    Cash: { allOf: [${ref('Payment')}, { type: object, properties: { currency: { type: string } } }] }
`;

const ORDER = {
  id: 1,
  payment: { kind: 'card', amount: 5, number: '4', holder: 'H' },
  customer: { id: 7, name: 'Ann' },
  watchers: [{ id: 8, name: 'Ben' }],
};

const serveOrders = () =>
  serveDocument(ORDERS, {
    'GET /orders': [ORDER, { id: 2, payment: { kind: 'cash', currency: 'EUR' } }],
    'GET /orders/1': ORDER,
    'POST /orders': ORDER,
    'PATCH /orders/1': ORDER,
  });

describe('values of a derived type', () => {
  it.each<readonly [mutation: string, sent: string]>([
    [
      'createOrder(input: { payment: { card: { amount: 1, number: "4" } } })',
      'POST /orders {"payment":{"amount":1,"number":"4","kind":"card"}}',
    ],
    [
      'createOrder(input: { refunds: [{ cash: { currency: "EUR" } }, { card: { number: "5" } }] })',
      'POST /orders {"refunds":[{"currency":"EUR","kind":"cash"},{"number":"5","kind":"card"}]}',
    ],
    [
      'updateOrder(id: 1, input: { payment: { card: { number: "9" } } })',
      'PATCH /orders/1 {"payment":{"number":"9","holder":"H","kind":"card","amount":5}}',
    ],
    [
      'updateOrder(id: 1, input: { payment: { cash: { currency: "EUR" } } })',
      'PATCH /orders/1 {"payment":{"currency":"EUR","kind":"cash"}}',
    ],
  ])('are given under the name of the type: %s', async (mutation, sent) => {
    const { query, lastSent } = await serveOrders();
    expect(await query(`mutation { ${mutation} { id } }`)).toMatchObject({ data: expect.anything() });
    expect(lastSent()).toBe(sent);
  });

  it('are found and sorted by', async () => {
    const { query } = await serveOrders();
    expect(
      await query('{ orders(where: { payment: { ofType: { cash: { currency: { eq: "EUR" } } } } }) { id } }'),
    ).toEqual({
      data: { orders: [{ id: '2' }] },
    });
    expect(
      await query('{ orders(order: [{ payment: { ofType: { cash: { currency: DESC } } } }]) { id } }'),
    ).toEqual({
      data: { orders: [{ id: '2' }, { id: '1' }] },
    });
  });

  it('have their mistakes told by where they were written', async () => {
    const { query } = await serveOrders();
    expect(
      await query('mutation { createOrder(input: { payment: { card: { amount: 1 } } }) { id } }'),
    ).toMatchObject({
      errors: [
        {
          message: expect.stringContaining(
            'Field "CardInput.number" of required type "String!" was not provided',
          ),
        },
      ],
    });
    expect(
      await query(
        'mutation { createOrder(input: { payment: { card: { number: "4", kind: "cash" } } }) { id } }',
      ),
    ).toMatchObject({
      errors: [{ message: expect.stringMatching(/^input\.payment\.card\.kind: expected "card"/) }],
    });
  });
});

describe('entities in the JSON of another one', () => {
  it.each<readonly [mutation: string, sent: string]>([
    [
      'createOrder(input: { customer: { id: 3, name: "C" }, watchers: [{ id: 4 }] })',
      'POST /orders {"customer":{"id":3,"name":"C"},"watchers":[{"id":4}]}',
    ],
    [
      'updateOrder(id: 1, input: { customer: { name: "D" } })',
      'PATCH /orders/1 {"customer":{"id":7,"name":"D"}}',
    ],
    ['updateOrder(id: 1, input: { watchers: [{ id: 4 }] })', 'PATCH /orders/1 {"watchers":[{"id":4}]}'],
    ['updateOrder(id: 1, input: { customer: null })', 'PATCH /orders/1 {"customer":null}'],
  ])('are values: %s', async (mutation, sent) => {
    const { query, lastSent } = await serveOrders();
    expect(await query(`mutation { ${mutation} { id } }`)).toMatchObject({ data: expect.anything() });
    expect(lastSent()).toBe(sent);
  });
});
