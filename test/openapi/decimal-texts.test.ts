import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { type ServedDocument, serveDocument } from './served-document.ts';

const BOOKSHOP = readFileSync(join(import.meta.dirname, 'generated/drf-bookshop.yaml'), 'utf8');

const BOOKS = [
  { id: 1, title: 'A', price: '9.50', publisher: 1 },
  { id: 2, title: 'B', price: '100.00', publisher: 1 },
  { id: 3, title: 'C', price: '20.00', publisher: 2 },
];

const ANSWERS = {
  'GET /api/books/': { count: 3, next: null, previous: null, results: BOOKS },
  'GET /api/books/?page=1': { count: 3, next: null, previous: null, results: BOOKS },
  'GET /api/books/1/': BOOKS[0],
  'POST /api/books/': (sent: object) => ({ ...sent, id: 4 }),
  'PATCH /api/books/1/': (sent: object) => ({ ...BOOKS[0], ...sent }),
};

const NO_BYTES = new Uint8Array();

async function idsAt({ ask }: ServedDocument, path: string): Promise<unknown> {
  const [, body] = await ask(path);
  return (body as { value: readonly { Id: number }[] }).value.map(({ Id }) => Id);
}

/** The type of a property by the schema that it has. */
function typeOf(schema: string): string {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: parse(
      `/things: { get: { responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } } } }`,
    ),
    components: {
      schemas: { Thing: { type: 'object', properties: { id: { type: 'integer' }, value: parse(schema) } } },
    },
  };
  const { model } = modelFromOpenApi([{ name: 'Test', document }]);
  const { type, facets } = model.entityTypes.get('Thing')?.structuralProperties.get('Value') ?? {};
  return `${type?.name} ${facets?.precision ?? ''} ${facets?.scale ?? ''}`.trim();
}

describe('texts that are decimal numbers', () => {
  it.each([
    ['{ type: string, format: decimal }', 'Edm.Decimal  variable'],
    [
      String.raw`{ type: string, format: decimal, pattern: '^-?\d{0,10}(?:\.\d{0,2})?$' }`,
      'Edm.Decimal 12 2',
    ],
    [String.raw`{ type: string, pattern: '^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$' }`, 'Edm.Decimal  variable'],
    [
      String.raw`{ type: string, pattern: '^(?!^[-+.]*$)[+-]?0*(?:\d{0,6}|(?=[\d.]{1,9}0*$)\d{0,6}\.\d{0,2}0*$)' }`,
      'Edm.Decimal 8 2',
    ],
    [
      String.raw`{ anyOf: [{ type: number }, { type: string, pattern: '^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$' }] }`,
      'Edm.Decimal  variable',
    ],
    [
      String.raw`{ anyOf: [{ type: number }, { type: string, pattern: '^\d{1,8}(\.\d{2})?$' }, { type: 'null' }] }`,
      'Edm.Decimal 10 2',
    ],
    [String.raw`{ type: string, pattern: '^(0|[1-9]\d*)(\.[0-9]{1,3})?$' }`, 'Edm.Decimal  3'],
    ['{ type: string, format: decimal, x-odata: { type: Edm.String } }', 'Edm.String'],
  ])('are Edm.Decimal: %s', (schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });

  it.each([
    String.raw`^\d{5}$`,
    String.raw`^\+?\d+$`,
    String.raw`^\d{4}\.\d{2}$`,
    String.raw`^\d+\.\d+\.\d+$`,
    String.raw`^(\d{1,3}\.){3}\d{1,3}$`,
    String.raw`^v\d+\.\d+$`,
    String.raw`\d+\.\d+`,
    '^(a+)+$',
    `^${'(?:'.repeat(60)}\\d+`,
  ])('are none where the pattern %s admits other texts', (pattern) => {
    expect(typeOf(JSON.stringify({ type: 'string', pattern }))).toBe('Edm.String');
  });

  it('are compared, sorted and summed as numbers', async () => {
    const served = await serveDocument(BOOKSHOP, ANSWERS);
    expect(await idsAt(served, 'Book?$orderby=Price')).toEqual([1, 3, 2]);
    expect(await idsAt(served, 'Book?$filter=Price gt 9.5')).toEqual([2, 3]);
    expect(await served.ask('Book?$apply=aggregate(Price with sum as Sum)')).toEqual([
      200,
      { value: [expect.objectContaining({ Sum: 129.5 })] },
    ]);
  });

  it('are sent to the API as texts', async () => {
    const { ask, requests } = await serveDocument(BOOKSHOP, ANSWERS);
    const created = await ask('Book', 'POST', { Title: 'D', Price: 8.5, Publisher: 1 });
    expect(created).toEqual([201, { Id: 4, Title: 'D', Price: 8.5, Publisher: 1 }]);
    await ask('Book(1)', 'PATCH', { Price: 7 });
    const sent = requests.filter(({ method }) => method !== 'GET').map(({ body }) => JSON.parse(`${body}`));
    expect(sent).toEqual([{ title: 'D', price: '8.5', publisher: 1 }, { price: '7' }]);
  });

  it('keep their digits in JSON, CSV and GraphQL, and have a format in Excel', async () => {
    const { gateway, query } = await serveDocument(BOOKSHOP, {
      ...ANSWERS,
      'GET /api/books/': { count: 1, next: null, results: [{ ...BOOKS[0], price: '8.9' }] },
    });
    const json = await fetch(`${gateway.url}/odata/Book`);
    expect(await json.text()).toContain('"Price":8.9,');
    const csv = await fetch(`${gateway.url}/odata/Book?$format=csv&$select=Price`);
    expect(await csv.text()).toBe('Price\r\n8.90\r\n');
    const workbook = await fetch(`${gateway.url}/odata/Book?$format=xlsx&$select=Price`);
    const parts = unzipSync(new Uint8Array(await workbook.arrayBuffer()));
    const style = /<c r="A2" s="(\d+)"><v>8.9<\/v>/.exec(
      strFromU8(parts['xl/worksheets/sheet1.xml'] ?? NO_BYTES),
    )?.[1];
    const styles = strFromU8(parts['xl/styles.xml'] ?? NO_BYTES);
    const format = styles.match(/<xf [^>]*xfId="0"[^>]*>/g)?.[Number(style)]?.match(/numFmtId="(\d+)"/)?.[1];
    expect(styles).toContain(`numFmtId="${format}" formatCode="0.00"`);
    expect(await query('{ books(where: { price: { lt: "9" } }) { price } }')).toEqual({
      data: { books: [{ price: '8.9' }] },
    });
  });

  it('are null where the API has something else, without failing the rest', async () => {
    const { ask } = await serveDocument(BOOKSHOP, {
      'GET /api/books/': {
        count: 2,
        next: null,
        results: [
          { id: 1, title: 'A', price: 'free', publisher: 1 },
          { id: 2, title: 'B', price: '.5', publisher: 1 },
        ],
      },
    });
    expect(await ask('Book?$select=Price')).toEqual([
      200,
      {
        value: [
          { '@odata.id': 'Book(1)', Price: null },
          { '@odata.id': 'Book(2)', Price: 0.5 },
        ],
      },
    ]);
  });
});
