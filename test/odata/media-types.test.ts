import { beforeEach, describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const ref = { $ref: '#/components/schemas/Page' };
const found = (schema: object) => ({
  200: { description: 'Found.', content: { 'application/json': { schema } } },
});
const inPath = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

const PAGES = {
  openapi: '3.1.0',
  info: { title: 'Pages', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/pages': { get: { operationId: 'pages', responses: found({ type: 'array', items: ref }) } },
    '/pages/{id}': { get: { operationId: 'page', parameters: [inPath], responses: found(ref) } },
  },
  components: {
    schemas: {
      Page: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          html: { type: 'string', 'x-odata': { mediaType: 'text/html' } },
          icon: { type: 'string', format: 'byte', 'x-odata': { mediaType: 'image/png' } },
          odd: { type: 'string', 'x-odata': { mediaType: 'no media type' } },
          plain: { type: 'string' },
          raw: { type: 'string', format: 'byte' },
          parts: {
            type: 'object',
            properties: { css: { type: 'string', 'x-odata': { mediaType: 'text/css' } } },
          },
        },
      },
    },
  },
};

const { gateway } = useShop(PAGES);
const PAGE = { id: 1, html: '<p>', icon: 'AQI=', odd: 'o', plain: 'p', raw: 'AQI=', parts: { css: 'a{}' } };
beforeEach(() => gateway.upstream.behave((_, reply) => reply.json(PAGE)));

const HARMLESS = "sandbox; default-src 'none'";

// OData 4.01 Part 1, 11.2.4.1, and the term MediaType of the vocabulary Core
describe('a raw value whose media type the model says', () => {
  it.each([
    ['Html', 'text/html', '<p>'],
    ['Icon', 'image/png', '\u0001\u0002'],
    ['Parts/Css', 'text/css', 'a{}'],
  ])('is sent as that, and nothing of it is run: %s', async (path, type, body) => {
    const { status, headers, text } = await gateway.fetch(`/odata/Page(1)/${path}/$value`);
    expect([status, headers.get('content-type'), text]).toStrictEqual([200, type, body]);
    expect(headers.get('content-security-policy')).toBe(HARMLESS);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['Odd', 'text/plain', 'o'],
    ['Plain', 'text/plain', 'p'],
    ['Raw', 'application/octet-stream', '\u0001\u0002'],
  ])('is what its type says where the model says none that there is: %s', async (path, type, body) => {
    const { headers, text } = await gateway.fetch(`/odata/Page(1)/${path}/$value`);
    expect([headers.get('content-type'), text]).toStrictEqual([type, body]);
  });
});
