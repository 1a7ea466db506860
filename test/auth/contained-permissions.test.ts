import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeGrants } from '../../src/cli/write-report.ts';
import { askGraphQL, type Faces, openFaces, requestOf, userWith } from './faces.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const one = (name: string) => ({ 200: { description: 'Found.', ...json(ref(name)) } });
const many = (name: string) => ({
  200: { description: 'Found.', ...json({ type: 'array', items: ref(name) }) },
});
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'integer' } });
const schema = (key: string, properties: object, grants?: object) => ({
  type: 'object',
  required: [key],
  ...(grants && { 'x-odata': { grants } }),
  properties: { [key]: { type: 'integer', format: 'int32' }, ...properties },
});

/**
 * Orders contain items, whose schema says who may use them, and these parts, whose schema does not; orders
 * contain notes, which go by the orders. A first item stands in the order's own JSON.
 */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders': { get: { operationId: 'orders', responses: many('Order') } },
    '/orders/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'order', responses: one('Order') },
    },
    '/orders/{id}/notes': {
      parameters: [inPath('id')],
      get: { operationId: 'notes', responses: many('Note') },
    },
    '/orders/{id}/notes/{page}': {
      parameters: [inPath('id'), inPath('page')],
      get: { operationId: 'note', responses: one('Note') },
    },
    '/orders/{id}/items': {
      parameters: [inPath('id')],
      get: { operationId: 'items', responses: many('Item') },
      post: { operationId: 'addItem', requestBody: json(ref('Item')), responses: { 201: one('Item')[200] } },
    },
    '/orders/{id}/items/{number}': {
      parameters: [inPath('id'), inPath('number')],
      get: { operationId: 'item', responses: one('Item') },
      patch: { operationId: 'changeItem', requestBody: json(ref('Item')), responses: one('Item') },
      delete: { operationId: 'removeItem', responses: { 204: { description: 'Gone.' } } },
    },
    '/orders/{id}/items/{number}/labels': {
      parameters: [inPath('id'), inPath('number')],
      get: { operationId: 'labels', responses: many('Label') },
    },
    '/orders/{id}/items/{number}/labels/{code}': {
      parameters: [inPath('id'), inPath('number'), inPath('code')],
      get: { operationId: 'label', responses: one('Label') },
    },
    '/orders/{id}/items/{number}/parts': {
      parameters: [inPath('id'), inPath('number')],
      get: { operationId: 'parts', responses: many('Part') },
    },
    '/orders/{id}/items/{number}/parts/{code}': {
      parameters: [inPath('id'), inPath('number'), inPath('code')],
      get: { operationId: 'part', responses: one('Part') },
    },
  },
  components: {
    schemas: {
      Order: schema(
        'id',
        { text: { type: 'string' }, first: ref('Item') },
        { Clerk: ['View'], Buyer: ['View'] },
      ),
      Note: schema('page', { text: { type: 'string' } }),
      Item: schema(
        'number',
        { text: { type: 'string' } },
        { Buyer: ['View', 'Insert', 'Update'], Packer: ['View', 'Delete'] },
      ),
      Label: schema('code', { text: { type: 'string' } }, { Packer: ['View'] }),
      Part: schema('code', { text: { type: 'string' } }),
    },
  },
};

let faces: Faces;

beforeAll(async () => {
  faces = await openFaces('Shop', DOCUMENT, ({ method, target }, reply) => {
    const keys = { id: 1, number: 1, page: 1, code: 1 };
    const entity = { ...keys, text: 'x', first: { number: 1, text: 'y' } };
    if (method === 'DELETE') reply.send(204);
    else reply.json(/s$/.test(target) && method === 'GET' ? [entity] : entity);
  });
});
afterAll(() => faces.close());

const ROLES = ['Buyer', 'Clerk', 'Packer', 'Nobody'];

async function allowed(ask: (role: string) => Promise<'done' | 'forbidden'>): Promise<readonly string[]> {
  const done: string[] = [];
  for (const role of ROLES) {
    const before = faces.calls();
    if ((await ask(role)) === 'done') done.push(role);
    else expect([role, faces.calls()]).toStrictEqual([role, before]);
  }
  return done;
}

/** Forbidden, or for a role that does not see the name, unknown: in a path (404) or an option (400). */
const REFUSED = [400, 403, 404];

/** The roles that are admitted; checks that others make no call. */
const byOData = (call: string, body?: object): Promise<readonly string[]> =>
  allowed(async (role) => {
    const { status } = await faces.odata(requestOf(userWith(role), call, body));
    expect([call, role, status]).toStrictEqual([call, role, expect.toBeOneOf([200, 201, 204, ...REFUSED])]);
    return REFUSED.includes(status) ? 'forbidden' : 'done';
  });

describe('contained entities', () => {
  it.each([
    ['GET /Order', ['Buyer', 'Clerk']],
    ['GET /Order(1)/Notes', ['Buyer', 'Clerk']],
    ['GET /Order(1)/Notes(1)/Text', ['Buyer', 'Clerk']],
    ['GET /Order(1)/Items', ['Buyer', 'Packer']],
    ['GET /Order(1)/Items/$count', ['Buyer', 'Packer']],
    ['GET /Order(1)/Items(1)', ['Buyer', 'Packer']],
    ['GET /Order(1)/Items(1)/Parts', ['Buyer', 'Packer']],
    ['GET /Order(1)/Items(1)/Parts(1)', ['Buyer', 'Packer']],
    ['GET /Order?$expand=Items', ['Buyer']],
    ['GET /Order?$expand=Items($expand=Labels)', []],
    ['GET /Order(1)/Items?$expand=Labels', ['Packer']],
    ['GET /Order(1)/Items?$filter=Labels/$count gt 0', ['Packer']],
    ['GET /Order(1)/First?$expand=Labels', []],
    ['GET /Order?$expand=Notes', ['Buyer', 'Clerk']],
    ['GET /Order?$expand=First', ['Buyer']],
    ['GET /Order(1)/First', ['Buyer']],
    ["GET /Order?$filter=First/Text eq 'y'", ['Buyer']],
    ["GET /Order?$filter=Items/any(i:i/Text eq 'x')", ['Buyer']],
    ['GET /Order?$orderby=Items/$count', ['Buyer']],
  ])('in OData, %s is for %o', async (call, expected) => {
    expect(await byOData(call)).toStrictEqual(expected);
  });

  it.each([
    ['POST /Order(1)/Items', { Number: 2 }, ['Buyer']],
    ['PATCH /Order(1)/Items(1)', { Text: 'z' }, ['Buyer']],
    ['PUT /Order(1)/Items(1)/Text', { value: 'z' }, ['Buyer']],
    ['DELETE /Order(1)/Items(1)', undefined, ['Packer']],
    ['POST /Order(1)/Items?$expand=Labels', { Number: 2 }, []],
    ['PATCH /Order(1)/Items(1)?$expand=Labels', { Text: 'z' }, []],
    ['PATCH /Order(1)/Items(1)?$expand=Parts', { Text: 'z' }, ['Buyer']],
  ])('in OData, %s of %o is for %o', async (call, body, expected) => {
    expect(await byOData(call, body)).toStrictEqual(expected);
  });

  it.each<readonly [string, readonly string[]]>([
    ['{ orders { text } }', ['Buyer', 'Clerk']],
    ['{ orders { first { text } } }', ['Buyer']],
    ['{ a: orders { b: first { text } } }', ['Buyer']],
    ['{ orders { ...f } } fragment f on Order { first { text } }', ['Buyer']],
    ['{ orders { items { text } } }', ['Buyer']],
    ['{ orders { notes { text } } }', ['Buyer', 'Clerk']],
    ['{ orderItems(id: 1) { text } }', ['Buyer', 'Packer']],
    ['{ orderItem(id: 1, number: 1) { text } }', ['Buyer', 'Packer']],
    ['{ orderItemParts(id: 1, number: 1) { text } }', ['Buyer', 'Packer']],
    ['{ orderNotes(id: 1) { text } }', ['Buyer', 'Clerk']],
    ['mutation { createOrderItem(id: 1, input: { number: 2 }) { text } }', ['Buyer']],
    ['mutation { updateOrderItem(id: 1, number: 1, input: { text: "z" }) { text } }', ['Buyer']],
    ['mutation { deleteOrderItem(id: 1, number: 1) }', ['Packer']],
  ])('in GraphQL, %s is for %o', async (query, expected) => {
    const roles = await allowed(async (role) => {
      const { errors = [] } = await askGraphQL(faces, userWith(role), query);
      const found = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      const codes = [...new Set(found)];
      expect([query, role, codes]).toStrictEqual([query, role, codes.length === 0 ? [] : ['Forbidden']]);
      return codes.length === 0 ? 'done' : 'forbidden';
    });
    expect(roles).toStrictEqual(expected);
  });

  it.each([
    ['Buyer', ['First', 'Items', 'Notes']],
    ['Clerk', ['Notes']],
    ['Packer', ['First', 'Items']],
  ])('in $metadata, are %o for %s', async (role, expected) => {
    const { body } = await faces.odata(requestOf(userWith(role), 'GET /$metadata?$format=json'));
    const { Order } = JSON.parse(String(body)).Shop;
    const names = Object.entries<{ $Kind?: string }>(Order).filter(
      ([, { $Kind }]) => $Kind === 'NavigationProperty',
    );
    expect(names.map(([name]) => name).sort()).toStrictEqual(expected);
  });

  it('have rows of their own in the table of grants', () => {
    expect(
      writeGrants(faces.model)
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toStrictEqual([
      ['', 'Buyer', 'Clerk', 'Packer'],
      ['Order', 'View', 'View', '-'],
      ['OrdersNotes', 'View', 'View', '-'],
      ['OrdersItems', 'View Insert Update', '-', 'View Delete'],
      ['Order/First', 'View Insert Update', '-', 'View Delete'],
      ['Order/Items', 'View Insert Update', '-', 'View Delete'],
      ['Item/Labels', '-', '-', 'View'],
      [''],
    ]);
  });
});
