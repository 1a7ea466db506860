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

  // Part 1, 8.2.1
  it.each([
    ['Page(1)/Plain/$value', 'text/plain;charset=utf-8', 'text/plain;charset=utf-8'],
    ['Page(1)/Plain/$value', 'application/json, text/*;Charset=UTF-8', 'text/plain;charset=utf-8'],
    ['Page(1)/Plain/$value?$format=text/plain;charset=utf-8', '*/*', 'text/plain;charset=utf-8'],
    ['Page(1)/Html/$value', '*/*;charset="utf-8"', 'text/html;charset=utf-8'],
    ['Page(1)/Icon/$value', '*/*;charset=utf-8', 'image/png'],
    ['Page(1)/Raw/$value', '*/*;charset=utf-8', 'application/octet-stream'],
    ['Page(1)/Plain/$value', 'text/plain;charset=utf-8;q=0, text/plain', 'text/plain'],
    ['Page/$count', 'text/plain', 'text/plain'],
    ['Page/$count', 'text/plain;charset=utf-8', 'text/plain;charset=utf-8'],
    ['Page/$count', 'text/plain', 'text/plain'],
    ['$crossjoin(Page)/$count', 'text/plain;charset=utf-8', 'text/plain;charset=utf-8'],
    ['Page(9)', 'text/plain;charset=utf-8', 'text/plain;charset=utf-8'],
  ])('names its charset where the request does: %s, %s', async (path, accept, type) => {
    gateway.upstream.behave(({ target }, reply) => {
      if (target.endsWith('/9')) reply.send(404, '{}');
      else reply.json(target.endsWith('/1') ? PAGE : [PAGE]);
    });
    const { headers } = await gateway.fetch(`/odata/${path}`, { headers: { accept } });
    expect(headers.get('content-type')).toBe(type);
  });
});
