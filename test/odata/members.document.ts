const ref = { $ref: '#/components/schemas/Item' };
const NOTE_REF = { $ref: '#/components/schemas/Note' };
const answer = (schema: object) => ({
  200: { description: 'Found.', content: { 'application/json': { schema } } },
});
const inQuery = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });

const NOTE = {
  type: 'object',
  required: ['id'],
  additionalProperties: true,
  properties: { id: { type: 'string' } },
};

/**
 * Items with keys in addition to their ids, which can be filtered and changed; notes with undeclared
 * properties.
 */
export const ITEMS_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Stock', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/items': {
      get: {
        operationId: 'items',
        'x-odata': { pageOf: 'Item', filters: { Code: 'code' } },
        parameters: [inQuery('code')],
        responses: answer({ type: 'array', items: ref }),
      },
    },
    '/items/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      get: { operationId: 'item', responses: answer(ref) },
      patch: {
        operationId: 'changeItem',
        requestBody: { content: { 'application/json': { schema: ref } } },
        responses: answer(ref),
      },
      delete: { operationId: 'deleteItem', responses: { 204: { description: 'Gone.' } } },
    },
    '/items/{id}/stock': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      get: {
        operationId: 'itemStock',
        'x-odata': { function: 'Stock', bound: 'Item' },
        parameters: [inQuery('at')],
        responses: answer({ type: ['integer', 'null'], format: 'int32' }),
      },
    },
    '/items/{id}/size': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      get: {
        operationId: 'itemSize',
        'x-odata': { function: 'Size', bound: 'Item' },
        responses: answer({ type: 'object', properties: { height: { type: 'integer' } } }),
      },
    },
    '/notes': {
      get: { operationId: 'notes', responses: answer({ type: 'array', items: NOTE_REF }) },
    },
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'note', responses: answer(NOTE_REF) },
    },
  },
  components: {
    schemas: {
      Note: NOTE,
      Item: {
        type: 'object',
        required: ['id'],
        'x-odata': {
          alternateKeys: [['code'], ['shelf', 'place']],
          grants: { Clerk: ['View', 'Update', 'Delete', 'Call'], Reader: ['View'] },
        },
        properties: {
          id: { type: 'integer', format: 'int32', readOnly: true },
          code: { type: 'string' },
          shelf: { type: 'integer', format: 'int32' },
          place: { type: 'string', format: 'date' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
};
