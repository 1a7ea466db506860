import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const PROPERTIES = {
  int32: { type: 'integer', format: 'int32' },
  byte: { type: 'integer', 'x-odata': { type: 'Edm.Byte' } },
  sbyte: { type: 'integer', 'x-odata': { type: 'Edm.SByte' } },
  int16: { type: 'integer', 'x-odata': { type: 'Edm.Int16' } },
  short: { type: 'string', maxLength: 3 },
  above: { type: 'number', minimum: 5, exclusiveMinimum: 5 },
  higher: { type: 'number', minimum: 5, exclusiveMinimum: 3 },
  below: { type: 'number', maximum: 5, exclusiveMaximum: 5 },
  lower: { type: 'number', maximum: 5, exclusiveMaximum: 7 },
};

const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } };
const many = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Limits', version: '1' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/things': {
      get: {
        operationId: 'things',
        responses: { 200: { description: 'All', content: { 'application/json': { schema: many } } } },
      },
      post: { operationId: 'create', requestBody: body, responses: { 201: { description: 'New', ...body } } },
    },
    '/things/{id}': {
      parameters: [id],
      get: { operationId: 'thing', responses: { 200: { description: 'One', ...body } } },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        'x-odata': { entitySet: 'Thing' },
        properties: { id: { type: 'integer', format: 'int32', readOnly: true }, ...PROPERTIES },
      },
    },
  },
});

describe('a value of a body', () => {
  let served: ServedDocument;
  beforeAll(async () => {
    const answers = { 'POST /things': (sent: object) => ({ id: 1, ...sent }) };
    served = await serveDocument(DOCUMENT, answers, atEndOfFile);
  });

  it.each([
    ['Int32', 2_147_483_647, 2_147_483_648],
    ['Int32', -2_147_483_648, -2_147_483_649],
    ['Int16', 32_767, 32_768],
    ['Int16', -32_768, -32_769],
    ['Byte', 255, 256],
    ['Byte', 0, -1],
    ['Sbyte', 127, 128],
    ['Sbyte', -128, -129],
    // JSON Schema, Validation 6.3.1: characters, not units of UTF-16.
    ['Short', '😀😀😀', '😀😀😀😀'],
    ['Short', 'abc', 'abcd'],
    ['Short', 'ab', '\ud800'],
    // The stricter of two limits counts.
    ['Above', 5.1, 5],
    ['Higher', 5, 4],
    ['Below', 4.9, 5],
    ['Lower', 5, 6],
  ])('for %s may be %j, and not %j', async (name, taken, refused) => {
    const [created] = await served.ask('Thing', 'POST', { [name]: taken });
    const calls = served.lastSent();
    const [status, answer] = await served.ask('Thing', 'POST', { [name]: refused });
    expect([created, status, served.lastSent()]).toStrictEqual([201, 400, calls]);
    expect(answer).toMatchObject({ error: { code: 'BadRequest', target: name } });
  });

  /** JSON Format 4.01, 3.2: numbers may be written as texts, those of any numeric type. */
  it.each([
    ['Int32', '2147483647', 2_147_483_647],
    ['Int32', '2147483648', undefined],
    ['Int32', '1.5', undefined],
    ['Int32', ' 1', undefined],
    ['Byte', '255', 255],
    ['Byte', '256', undefined],
    ['Sbyte', '-128', -128],
    ['Int16', '1e3', 1_000],
    ['Above', '5.25', 5.25],
    ['Above', '5', undefined],
    ['Above', '0x10', undefined],
    ['Short', '12', '12'],
  ])('for %s may be the text %j where the body is IEEE754Compatible, else not', async (name, text, value) => {
    const compatible = 'application/json;IEEE754Compatible=true';
    const [status, answer] = await served.ask('Thing', 'POST', { [name]: text }, compatible);
    const [plainly] = await served.ask('Thing', 'POST', { [name]: text });
    expect(plainly).toBe(typeof value === 'string' ? 201 : 400);
    if (value === undefined) expect(answer).toMatchObject({ error: { code: 'BadRequest', target: name } });
    else expect([status, answer]).toMatchObject([201, { [name]: value }]);
  });
});
