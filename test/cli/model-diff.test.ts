import { describe, expect, it } from 'vitest';
import { outcome, temporaryFile } from './command.ts';

const answer = (schema: string): string =>
  `responses: { 200: { description: x, content: { application/json: { schema: ${schema} } } } }`;
const set = (path: string, schema: string): string => `
  ${path}:
    get: { operationId: list${schema}, ${answer(`{ type: array, items: { $ref: '#/components/schemas/${schema}' } }`)} }
  ${path}/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: get${schema}, ${answer(`{ $ref: '#/components/schemas/${schema}' }`)} }`;

const documentOf = (order: string, settings = ''): string => `openapi: 3.1.0
info: { title: Shop, version: '1' }
${settings}
paths:${set('/customers', 'Customer')}${set('/orders', 'Order')}
  /count: { get: { operationId: count, parameters: [{ name: day, in: query, schema: { type: string } }], ${answer('{ type: integer }')} } }
components:
  schemas:
    Customer: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Order: { type: object, required: [id], properties: { id: { type: integer }, total: { type: integer }, ${order} } }
`;

const EARLIER = documentOf('note: { type: string }');
const LATER = documentOf('customer: { type: object, properties: { id: { type: integer } } }').replace(
  'total: { type: integer }',
  'total: { type: number, format: decimal }',
);

describe('duogate model --diff', () => {
  it('lists what clients lose, and fails then', async () => {
    const [old, now] = [await temporaryFile('old.yaml', EARLIER), await temporaryFile('now.yaml', LATER)];
    expect(await outcome(['model', '--diff', old, now])).toStrictEqual({
      code: 1,
      stdout: `2 changes that clients must follow
  - Order.Total is Decimal or null instead of Int64 or null.
  - Order.Note is no longer there.
3 additions
  - Customer.Orders is new.
  - Order.Customer is new.
  - Order.CustomerEntity is new.
`,
      stderr: '',
    });
  });

  it('takes what --metadata json printed', async () => {
    const [old, now] = [await temporaryFile('old.yaml', EARLIER), await temporaryFile('now.yaml', EARLIER)];
    const { stdout } = await outcome(['model', '--metadata', 'json', old]);
    const saved = await temporaryFile('saved.json', stdout);
    expect(await outcome(['model', '--diff', saved, now])).toStrictEqual({
      code: 0,
      stdout: 'Clients notice nothing.\n',
      stderr: '',
    });
    const lost = stdout.replace('"Name":', '"Name": {}, "FullName":').replace('"Count":', '"Sum":');
    const { code, stdout: json } = await outcome([
      'model',
      '--json',
      '--diff',
      await temporaryFile('lost.json', lost),
      now,
    ]);
    expect([code, JSON.parse(json)]).toMatchObject([1, expect.arrayContaining([])]);
    expect(json).toContain('Customer.FullName is no longer there.');
  });

  it('keeps the relations of an edition of the rules', async () => {
    const frozen = LATER.replace('paths:', 'x-odata: { derive: "2026-11" }\npaths:');
    const [old, now] = [await temporaryFile('old.yaml', LATER), await temporaryFile('now.yaml', frozen)];
    const { stdout } = await outcome(['model', '--diff', old, now]);
    expect(stdout).toBe(`2 changes that clients must follow
  - Customer.Orders is no longer there.
  - Order.CustomerEntity is no longer there.
`);
  });

  it.each<[readonly string[], string]>([
    [['--diff', 'missing.json'], 'missing.json cannot be read.'],
    [['--diagram', '--metadata', 'xml'], '--metadata, --diagram and --diff exclude each other.'],
    [['--diagram', '--json'], '--json is for the report and for --diff.'],
  ])('%j is a mistake', async (args, message) => {
    const file = await temporaryFile('now.yaml', EARLIER);
    const { code, stderr } = await outcome(['model', file, ...args]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it.each([
    ['old.json', '{"a": 1', /old\.json: It is neither YAML nor JSON: /],
    ['old.json', '{"$EntityContainer": 5, ', /old\.json: expected CSDL JSON, found no JSON: /],
  ])('refuses %s with %s, and compares nothing', async (name, text, message) => {
    const [earlier, later] = [await temporaryFile(name, text), await temporaryFile('new.yaml', LATER)];
    const { code, stdout, stderr } = await outcome(['model', later, '--diff', earlier]);
    expect([code, stdout, stderr]).toStrictEqual([1, '', expect.stringMatching(message)]);
  });

  it('refuses metadata as XML', async () => {
    const file = await temporaryFile('now.yaml', EARLIER);
    const { stdout } = await outcome(['model', '--metadata', 'xml', file]);
    const saved = await temporaryFile('saved.xml', stdout);
    const { code, stderr } = await outcome(['model', '--diff', saved, file]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'expected CSDL JSON or an OpenAPI document, found XML. Save it with --metadata json.',
    );
  });
});

describe('duogate model --diagram', () => {
  it('draws each relationship once', async () => {
    const file = await temporaryFile('now.yaml', LATER);
    expect(await outcome(['model', '--diagram', file])).toStrictEqual({
      code: 0,
      stdout: `erDiagram
  Customer {
    Int64 Id PK
  }
  Order {
    Int64 Id PK
  }
  Order }o--o| Customer : "CustomerEntity / Orders"
`,
      stderr: '',
    });
  });
});
