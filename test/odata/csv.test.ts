import { beforeAll, describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Orders, version: "1" }
paths:
  /orders:
    get: { operationId: listOrders, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } } } } }
  /customers:
    get: { operationId: listCustomers, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Customer" } } } } } } }
  /things:
    get: { operationId: listThings, responses: { "200": { content: { application/json: { schema: { type: object, properties: { data: { type: array, items: { $ref: "#/components/schemas/Thing" } }, next: { type: string } } } } } } } }
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer }, parts: { type: array, items: { $ref: "#/components/schemas/Customer" } } } }
    Order:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        title: { type: string }
        total: { type: string, format: decimal, x-odata: { type: Edm.Decimal } }
        ordered: { type: string, format: date-time }
        paid: { type: boolean }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string }, geo: { type: object, properties: { lat: { type: number } } } } }
        customer: { $ref: "#/components/schemas/Customer" }
    Customer:
      type: object
      required: [id]
      x-odata: { pageSize: 1 }
      properties: { id: { type: integer }, name: { type: string }, orders: { type: array, items: { $ref: "#/components/schemas/Order" } } }
`;

const ORDERS = [
  {
    id: 9_007_199_254_740_993n,
    title: 'a "b", c',
    total: '12.50',
    ordered: '2026-01-02T03:04:05Z',
    paid: true,
    tags: ['x', 'y'],
    place: { city: 'Köln', geo: { lat: -1.5 } },
    customer: { id: 7, name: '=1+1' },
  },
  { id: 2, title: '', total: null, ordered: null, paid: false, tags: [], place: null, customer: null },
  { id: 3, title: '-2', total: '-3', paid: null, tags: null, place: { city: '@x', geo: null } },
];

const json = JSON.stringify(ORDERS, (_, value: unknown) =>
  typeof value === 'bigint' ? `#${value}` : value,
).replace(/"#(\d+)"/, '$1');

/** Of a list that comes in pages. */
const THINGS = {
  'GET /things': { data: [{ id: 1, parts: [{ id: 1 }, { id: 2 }] }], next: '/things?cursor=b' },
  'GET /things?cursor=b': { data: [{ id: 2 }], next: null },
};

const CSV = 'text/csv;charset=utf-8;header=present';

describe('comma-separated values', () => {
  let url: string;
  beforeAll(async () => {
    const customers = [
      { id: 7, name: '\tz', orders: [{ id: 1 }] },
      { id: 8, name: 'w', orders: [] },
    ];
    const answers = { 'GET /orders': Buffer.from(json), 'GET /customers': customers, ...THINGS };
    ({
      gateway: { url },
    } = await serveDocument(DOCUMENT, answers, atEndOfFile));
  });

  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}/odata/${path.replaceAll(' ', '%20').replaceAll('+', '%2B')}`, {
      headers,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, text: bytes.toString() };
  };

  it.each<readonly [path: string, lines: readonly string[]]>([
    [
      'Order?$format=csv',
      [
        'Id,Title,Total,Ordered,Paid,Tags,Place/City,Place/Geo/Lat',
        '9007199254740993,"a ""b"", c",12.50,2026-01-02T03:04:05Z,true,"[""x"",""y""]",Köln,-1.5',
        '2,"",,,false,[],,',
        "3,'-2,-3,,,[],'@x,",
      ],
    ],
    ['Order?$format=text/csv;header=absent&$select=Id,Title&$filter=Id eq 3', ["3,'-2"]],
    [
      'Order?$format=csv&$select=Id&$expand=Customer($select=Name)&$top=2',
      ['Id,Customer/Name', "9007199254740993,'=1+1", '2,'],
    ],
    ['Order?$format=csv&$select=Id&$filter=false', ['Id']],
    [
      'Customer?$format=csv&$expand=Orders($select=Id)',
      ['Id,Name,Orders', `7,'\tz,"[{""Id"":""1""}]"`, '8,w,[]'],
    ],
    ['Customer?$format=csv&$select=Name&$expand=Orders/$count', ['Name,Orders@count', "'\tz,1", 'w,0']],
    [
      'Thing?$format=csv&$expand=Parts($select=Id)',
      ['Id,Parts', '1,"[{""Id"":""1""},{""Id"":""2""}]"', '2,[]'],
    ],
    ['Customer?$format=csv&$select=Id&$top=1', ['Id', '7']],
    [
      'Order?$format=csv&$apply=groupby((Paid),aggregate($count as N))',
      ['Paid,N', 'true,1', 'false,1', ',1'],
    ],
    ['Order?$format=csv&$compute=Id add 1 as Next&$select=Next&$top=1&$orderby=Id', ['Next', '3']],
  ])('%s', async (path, lines) => {
    const { status, headers, text } = await ask(path);
    expect([status, text]).toStrictEqual([200, `\ufeff${lines.map((line) => `${line}\r\n`).join('')}`]);
    expect(headers.get('content-type')).toBe(/absent/.test(path) ? CSV.replace('present', 'absent') : CSV);
    const [set] = path.split('?');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="${set}.csv"; filename*=UTF-8''${set}.csv`,
    );
  });

  it.each([
    ['text/csv', CSV],
    ['text/csv, application/json;q=0.5', CSV],
    ['application/json, text/csv', 'application/json;odata.metadata=minimal'],
    ['text/html, */*', 'application/json;odata.metadata=minimal'],
    ['text/csv;q=0, */*', 'application/json;odata.metadata=minimal'],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    expect((await ask('Order', { accept })).headers.get('content-type')).toBe(type);
  });

  it.each([
    'Order?$format=text/csv;header=perhaps',
    'Order(2)?$format=csv',
    '$metadata?$format=csv',
    '?$format=csv',
  ])('%s cannot be had', async (path) => {
    expect((await ask(path)).status).toBe(406);
  });

  it('has a tag of its own', async () => {
    const [csv, whole] = [await ask('Order?$top=1', { accept: 'text/csv' }), await ask('Order?$top=1')];
    const tag = csv.headers.get('etag') ?? '';
    expect(tag).not.toBe(whole.headers.get('etag'));
    const again = (accept: string) => ask('Order?$top=1', { accept, 'if-none-match': tag });
    expect((await again('text/csv')).status).toBe(304);
    expect((await again('application/json')).status).toBe(200);
  });

  it('leads on to the next page (RFC 8288)', async () => {
    const first = await ask('Order?$format=csv&$select=Id', { prefer: 'maxpagesize=2' });
    expect(first.text.split('\r\n')).toHaveLength(4);
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const rest = await fetch(next, { headers: { prefer: 'maxpagesize=2' } });
    expect(await rest.text()).toBe('Id\r\n3\r\n');
    expect(rest.headers.get('link')).toBe(null);
  });
});
