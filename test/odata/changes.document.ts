const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const found = (schema: object, more: object = {}) => ({
  200: { description: 'Found.', ...json(schema), ...more },
});
const created = (schema: object) => ({ 201: { description: 'Created.', ...json(schema) } });
const list = (name: string) => ({ type: 'array', items: ref(name) });
const DONE = { 204: { description: 'Done.' } };

const INT32 = { type: 'integer', format: 'int32' };
const TEXT = { type: 'string', maxLength: 20 };
const inPath = (name: string, schema: object = INT32) => ({ name, in: 'path', required: true, schema });
const grants = (...permissions: string[]) => ({
  grants: { Clerk: permissions, Owner: ['View', 'Insert', 'Update', 'Delete', 'Call'] },
});

const link = (operationId: string, parameters: object) => ({ [operationId]: { operationId, parameters } });

/**
 * A shop in which changes of every kind can be made: links by foreign keys, by paths and by bodies; items within
 * orders; settings that are there once they are put.
 */
export const CHANGES_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/customers': {
      get: { operationId: 'customers', responses: found(list('Customer')) },
      post: {
        operationId: 'createCustomer',
        requestBody: json(ref('Customer')),
        responses: created(ref('Customer')),
      },
    },
    '/customers/{id}': {
      parameters: [inPath('id')],
      get: {
        operationId: 'customer',
        responses: found(ref('Customer'), { links: link('orders', { customer_id: '$response.body#/id' }) }),
      },
      patch: {
        operationId: 'changeCustomer',
        requestBody: json(ref('Customer')),
        responses: found(ref('Customer')),
      },
      delete: { operationId: 'deleteCustomer', responses: DONE },
    },
    '/customers/{id}/friends': {
      parameters: [inPath('id')],
      get: { operationId: 'friends', responses: found(list('Customer')) },
      post: {
        operationId: 'addFriend',
        'x-odata': { addRef: 'Friends' },
        requestBody: json({ type: 'object', required: ['friend_id'], properties: { friend_id: INT32 } }),
        responses: DONE,
      },
    },
    '/customers/{id}/friends/{friend}': {
      parameters: [inPath('id'), inPath('friend')],
      delete: { operationId: 'removeFriend', 'x-odata': { removeRef: 'Friends' }, responses: DONE },
    },
    '/orders': {
      get: {
        operationId: 'orders',
        parameters: [{ name: 'customer_id', in: 'query', schema: INT32 }],
        responses: found(list('Order')),
      },
      post: { operationId: 'createOrder', requestBody: json(ref('Order')), responses: created(ref('Order')) },
    },
    '/orders/{id}': {
      parameters: [inPath('id')],
      get: {
        operationId: 'order',
        responses: found(ref('Order'), { links: link('customer', { id: '$response.body#/customer_id' }) }),
      },
      patch: {
        operationId: 'changeOrder',
        requestBody: json(ref('Order')),
        responses: { ...found(ref('Order')), 412: { description: 'It has changed.' } },
      },
      delete: { operationId: 'deleteOrder', responses: DONE },
    },
    '/orders/{id}/items': {
      parameters: [inPath('id')],
      get: { operationId: 'items', responses: found(list('Item')) },
      post: { operationId: 'createItem', requestBody: json(ref('Item')), responses: created(ref('Item')) },
    },
    '/orders/{id}/items/{number}': {
      parameters: [inPath('id'), inPath('number')],
      get: { operationId: 'item', responses: found(ref('Item')) },
      patch: { operationId: 'changeItem', requestBody: json(ref('Item')), responses: found(ref('Item')) },
      delete: { operationId: 'deleteItem', responses: DONE },
    },
    '/orders/{id}/tags': {
      parameters: [inPath('id')],
      get: { operationId: 'orderTags', responses: found(list('Tag')) },
    },
    '/orders/{id}/tags/{name}': {
      parameters: [inPath('id'), inPath('name', TEXT)],
      put: { operationId: 'addTag', 'x-odata': { addRef: 'Tags' }, responses: DONE },
      delete: { operationId: 'removeTag', 'x-odata': { removeRef: 'Tags' }, responses: DONE },
    },
    '/tags': { get: { operationId: 'tags', responses: found(list('Tag')) } },
    '/tags/{name}': {
      parameters: [inPath('name', TEXT)],
      get: { operationId: 'tag', responses: found(ref('Tag')) },
    },
    '/settings': { get: { operationId: 'settings', responses: found(list('Setting')) } },
    '/settings/{name}': {
      parameters: [inPath('name', TEXT)],
      get: { operationId: 'setting', responses: found(ref('Setting')) },
      put: {
        operationId: 'putSetting',
        requestBody: json(ref('Setting')),
        responses: { ...found(ref('Setting')), ...created(ref('Setting')) },
      },
      delete: { operationId: 'deleteSetting', responses: DONE },
    },
    '/contracts': { get: { operationId: 'contracts', responses: found(list('Contract')) } },
    '/contracts/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'contract', responses: found(ref('Contract')) },
      put: {
        operationId: 'putContract',
        parameters: [{ name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } }],
        requestBody: json(ref('Contract')),
        responses: found(ref('Contract')),
      },
      delete: {
        operationId: 'deleteContract',
        responses: { ...DONE, 428: { description: 'If-Match is missing.' } },
      },
    },
  },
  components: {
    schemas: {
      Customer: {
        type: 'object',
        required: ['id', 'name'],
        'x-odata': grants('View', 'Update'),
        properties: { id: { ...INT32, readOnly: true }, name: TEXT, city: { type: ['string', 'null'] } },
      },
      Order: {
        type: 'object',
        required: ['id'],
        'x-odata': grants('View', 'Insert'),
        properties: {
          id: { ...INT32, readOnly: true },
          note: { type: ['string', 'null'], maxLength: 20 },
          customer_id: { type: ['integer', 'null'], format: 'int32' },
        },
      },
      Item: {
        type: 'object',
        required: ['number', 'product'],
        properties: { number: { ...INT32, readOnly: true }, product: TEXT, count: { ...INT32, minimum: 1 } },
      },
      Tag: {
        type: 'object',
        required: ['name'],
        'x-odata': grants('View'),
        properties: { name: TEXT },
      },
      Setting: {
        type: 'object',
        required: ['name'],
        'x-odata': grants('View', 'Update'),
        properties: { name: TEXT, value: { type: ['string', 'null'] } },
      },
      Contract: {
        type: 'object',
        required: ['id'],
        'x-odata': grants('View', 'Update', 'Delete'),
        properties: { id: { ...INT32, readOnly: true }, text: { type: ['string', 'null'] } },
      },
    },
  },
};
