const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (schema: object) => ({
  200: { description: 'Found.', content: { 'application/json': { schema } } },
});
const list = (name: string) => ({ type: 'array', items: ref(name) });

/** An API with properties of every kind: complex, collections, enumerations, exact numbers, odd names. */
export const SHOP_DOCUMENT = {
  openapi: '3.1.0',
  'x-odata': { strict: true },
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/products': {
      get: {
        operationId: 'products',
        responses: answer({
          type: 'object',
          properties: { items: list('Product'), total: { type: 'integer' } },
        }),
      },
      post: {
        operationId: 'createProduct',
        requestBody: { content: { 'application/json': { schema: ref('Product') } } },
        responses: { 201: { ...answer(ref('Product'))[200] } },
      },
    },
    '/products/{id}': {
      get: {
        operationId: 'product',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: answer(ref('Product')),
      },
    },
  },
  components: {
    schemas: {
      Product: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          'first-seen': { type: 'string', format: 'date' },
          stock: { type: 'integer', format: 'int64' },
          price: { type: 'number', format: 'decimal' },
          colour: ref('Colour'),
          sizes: { type: 'array', items: ref('Colour') },
          tags: { type: 'array', items: { type: 'string' } },
          maker: ref('Maker'),
          parts: list('Part'),
          secret: { type: 'string', writeOnly: true },
        },
      },
      Colour: { type: 'string', enum: ['dark red', 'b/w', 'green'] },
      Maker: {
        type: 'object',
        properties: {
          'full name': { type: 'string' },
          founded: { type: 'string', format: 'date-time' },
          address: {
            type: 'object',
            properties: { city: { type: 'string' }, '1st-line': { type: 'string' } },
          },
        },
      },
      Part: {
        type: 'object',
        properties: {
          serial: { type: 'integer', format: 'int64' },
          weight: { type: 'number', format: 'decimal' },
          colour: ref('Colour'),
          parts: list('Part'),
        },
      },
    },
  },
};
