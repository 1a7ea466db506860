const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const answer = (schema: object, links?: object) => ({
  200: { description: 'Found.', ...json(schema), ...(links && { links }) },
});
const list = (schema: object) => ({ type: 'array', items: schema });
const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema });
const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema });

/** A type of key, as OpenAPI has it. */
const KEY_SCHEMAS: Readonly<Record<string, object>> = {
  Text: { type: 'string' },
  Whole: { type: 'integer', format: 'int32' },
  Long: { type: 'integer', format: 'int64' },
  Exact: { type: 'number', format: 'decimal' },
  Truth: { type: 'boolean' },
  Day: { type: 'string', format: 'date' },
  Moment: { type: 'string', format: 'date-time' },
  Clock: { type: 'string', format: 'time' },
  Span: { type: 'string', format: 'duration' },
  Unique: { type: 'string', format: 'uuid' },
  Colour: { type: 'string', enum: ['dark red', 'green'] },
};

const keyedPaths = Object.entries(KEY_SCHEMAS).flatMap(([name, schema]) => [
  [`/${name}`, { get: { operationId: `all${name}`, responses: answer(list(ref(name))) } }],
  [
    `/${name}/{key}`,
    { get: { operationId: `one${name}`, parameters: [inPath('key', schema)], responses: answer(ref(name)) } },
  ],
]);

const keyedSchemas = Object.entries(KEY_SCHEMAS).map(([name, key]) => [
  name,
  { type: 'object', required: ['key'], properties: { key } },
]);

const ORDER = { operationId: 'order', responses: answer(ref('Order')) };

/** An API with keys of every type, entities within others, and changes by PATCH alone or by PUT alone. */
export const ORDERS_DOCUMENT = {
  openapi: '3.1.0',
  'x-odata': { strict: true },
  info: { title: 'Orders', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    ...Object.fromEntries(keyedPaths),
    '/orders': {
      get: {
        operationId: 'orders',
        parameters: [inQuery('customer', { type: 'string' })],
        responses: answer(list(ref('Order'))),
      },
      post: {
        operationId: 'createOrder',
        requestBody: json(ref('Order')),
        responses: { 201: answer(ref('Order'))[200] },
      },
    },
    '/orders/{id}': {
      parameters: [inPath('id', { type: 'integer', format: 'int32' })],
      get: ORDER,
      patch: {
        operationId: 'changeOrder',
        requestBody: json(ref('Order')),
        responses: answer(ref('Order')),
      },
      delete: { operationId: 'deleteOrder', responses: { 204: { description: 'Gone.' } } },
    },
    '/customers': {
      get: { operationId: 'customers', responses: answer(list(ref('Customer'))) },
    },
    '/customers/{code}': {
      parameters: [inPath('code', { type: 'string' })],
      get: {
        operationId: 'customer',
        responses: answer(ref('Customer'), {
          orders: { operationId: 'orders', parameters: { customer: '$response.body#/code' } },
        }),
      },
      put: {
        operationId: 'replaceCustomer',
        requestBody: json(ref('Customer')),
        responses: answer(ref('Customer')),
      },
    },
    '/echo': {
      get: {
        operationId: 'echo',
        parameters: [
          ...Object.entries(KEY_SCHEMAS).map(([name, schema]) => inQuery(name.toLowerCase(), schema)),
          inQuery('floating', { type: 'number', format: 'double' }),
          inQuery('texts', list({ type: 'string' })),
        ],
        responses: answer({ type: 'string' }),
      },
    },
  },
  components: {
    schemas: {
      ...Object.fromEntries(keyedSchemas),
      Order: {
        type: 'object',
        required: ['id'],
        'x-odata': { grants: { Clerk: ['View', 'Update'], Seller: ['View'] } },
        properties: {
          id: { type: 'integer', format: 'int32', readOnly: true },
          note: { type: ['string', 'null'] },
          tags: list({ type: 'string' }),
          'ship-to': ref('Address'),
          buyer: ref('Customer'),
        },
      },
      Customer: {
        type: 'object',
        required: ['code', 'name'],
        'x-odata': { grants: { Seller: ['View'] } },
        properties: {
          code: { type: 'string', 'x-odata': { immutable: true } },
          name: { type: 'string' },
          rank: { type: ['integer', 'null'], format: 'int32' },
          pass: { type: 'string', writeOnly: true },
        },
      },
      Address: {
        type: ['object', 'null'],
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
  },
};
