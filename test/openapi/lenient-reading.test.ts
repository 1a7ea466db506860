import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type ServedDocument, serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const set = (path: string, name: string) => `
  /${path}: { get: { operationId: ${path}, responses: ${answer(`{ type: array, items: ${ref(name)} }`)} } }
  /${path}/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: ${name.toLowerCase()}, responses: ${answer(ref(name))} }`;

/** Flat things and such as hold others, of a document that does not call itself strict. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:${set('flats', 'Flat')}${set('deeps', 'Deep')}
  /count: { get: { operationId: count, responses: ${answer('{ type: integer }')} } }
components:
  schemas:
    Flat:
      type: object
      required: [id, status, count, price, at]
      properties:
        id: { type: string }
        status: { type: string, enum: [active, gone] }
        count: { type: integer, format: int32 }
        size: { type: integer }
        price: { type: number }
        paid: { type: boolean }
        name: { type: string }
        day: { type: string, format: date }
        at: { type: string, format: date-time }
        ref: { type: string, format: uuid }
    Deep:
      type: object
      required: [id, flat, tags, address, amount]
      properties:
        id: { type: string }
        amount: { type: number, format: decimal }
        flat: ${ref('Flat')}
        flats: { type: array, items: ${ref('Flat')} }
        tags: { type: array, items: { type: string } }
        states: { type: array, items: { type: string, enum: [on, off] } }
        address: { type: object, required: [town], properties: { town: { type: string }, zip: { type: integer, format: int32 } } }
        addresses: { type: array, items: { type: object, properties: { town: { type: string }, zip: { type: integer, format: int32 } } } }
        pet: ${ref('Pet')}
    Pet:
      type: object
      required: [kind]
      discriminator: { propertyName: kind }
      oneOf: [${ref('Cat')}, ${ref('Dog')}]
      properties: { kind: { type: string } }
    Cat: { type: object, properties: { kind: { type: string }, lives: { type: integer, format: int32 } } }
    Dog: { type: object, properties: { kind: { type: string }, tricks: { type: integer, format: int32 } } }
`;

const FLAT = {
  id: 'a',
  status: 'active',
  count: 1,
  size: 2,
  price: 1.5,
  paid: true,
  name: 'n',
  day: '2024-02-29',
  at: '2024-02-29T12:00:00Z',
  ref: '00000000-0000-0000-0000-000000000001',
};
const DEEP = {
  id: 'a',
  amount: 2.5,
  flat: FLAT,
  flats: [FLAT],
  tags: ['x'],
  states: ['on'],
  address: { town: 't', zip: 1 },
  addresses: [{ town: 't', zip: 1 }],
  pet: { kind: 'Cat', lives: 9 },
};

/** A property of a flat thing, what comes in its place, and what is read. */
const DEVIATIONS: readonly (readonly [property: keyof typeof FLAT, json: string, read: unknown])[] = [
  ['status', '"zzz"', 'zzz'],
  ['status', '7', '7'],
  ['count', 'null', null],
  ['count', '"12"', 12],
  ['count', '" 12.0 "', 12],
  ['count', '4294967296', null],
  ['count', '1.5', null],
  ['count', '"many"', null],
  ['count', '{"n":1}', null],
  ['count', '1e300', null],
  ['size', '"9007199254740993"', '9007199254740993'],
  ['size', '1e300', null],
  ['size', 'true', null],
  ['price', '"1.25"', 1.25],
  ['price', '"1,25"', null],
  ['price', '[1]', null],
  ['paid', '"true"', true],
  ['paid', '0', false],
  ['paid', '"1"', true],
  ['paid', '"maybe"', null],
  ['name', '5', '5'],
  ['name', '9007199254740993', '9007199254740993'],
  ['name', 'false', 'false'],
  ['name', '{"de":"x"}', null],
  ['name', '["x"]', null],
  ['day', '"2024-02-30"', null],
  ['day', '"2024-02-29T10:00:00Z"', '2024-02-29'],
  ['day', '""', null],
  ['day', '20240229', null],
  ['at', '"soon"', null],
  ['at', '"2024-02-29 12:00:00"', '2024-02-29T12:00:00Z'],
  ['at', '"2024-02-29T12:00:00.123+0100"', '2024-02-29T12:00:00.123+01:00'],
  ['at', '"2024-02-29"', '2024-02-29T00:00:00Z'],
  ['at', '1709208000', null],
  ['ref', '"{00000000-0000-0000-0000-000000000002}"', '00000000-0000-0000-0000-000000000002'],
  ['ref', '"none"', null],
];

let served: ServedDocument;
const answers: Record<string, unknown> = {};
beforeAll(async () => {
  served = await serveDocument(DOCUMENT, answers, atEndOfFile);
});
beforeEach(() => {
  for (const name of Object.keys(answers)) delete answers[name];
});

/** Has the upstream answer lists and items with a good one and that one. */
function answerWith(path: string, good: object, odd: string): void {
  const other = JSON.stringify({ ...good, id: 'z' });
  answers[`GET /${path}`] = Buffer.from(`[${other},${odd}]`);
  answers[`GET /${path}/a`] = Buffer.from(odd);
}

function withJson(object: object, property: string, json: string): string {
  return JSON.stringify({ ...object, [property]: '~' }).replace('"~"', json);
}

type Rows = { readonly value: readonly Readonly<Record<string, unknown>>[] };

/** Exact integers are texts where numbers could not hold them. */
async function odata(path: string): Promise<Rows & Readonly<Record<string, unknown>>> {
  const response = await fetch(`${served.gateway.url}/odata/${path}`, {
    headers: { accept: 'application/json;IEEE754Compatible=true', 'odata-maxversion': '4.01' },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Rows & Readonly<Record<string, unknown>>;
}

const pascal = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** `Size` is an Int64, which IEEE754Compatible makes a text of. */
const inOData = (property: string, read: unknown) =>
  property === 'size' && read !== null ? String(read) : read;

describe('a value that is not what the document says', () => {
  it.each(DEVIATIONS)('costs no row: %s is %s, read as %j', async (property, json, read) => {
    answerWith('flats', FLAT, withJson(FLAT, property, json));
    const expected = inOData(property, read);
    const { value } = await odata('Flat');
    expect(value.map(({ Id }) => Id)).toStrictEqual(['z', 'a']);
    expect(value[1]?.[pascal(property)]).toStrictEqual(expected);
    expect((await odata(`Flat('a')?$select=${pascal(property)}`))[pascal(property)]).toStrictEqual(expected);
    expect((await odata(`Flat?$filter=Id eq 'a'&$count=true`))['@count']).toBe('1');
    const again = await served.query(`{ flats { id ${property} } flat(id: "a") { ${property} } }`);
    expect(again).toMatchObject({
      data: { flats: [{ id: 'z' }, { id: 'a', [property]: read }], flat: { [property]: read } },
    });
  });

  it.each(DEVIATIONS)(
    'costs no row where it stands within others: %s is %s',
    async (property, json, read) => {
      const flat = withJson(FLAT, property, json);
      const odd = `${JSON.stringify(DEEP).slice(0, -1)},"flat":${flat},"flats":[${flat}]}`;
      answerWith('deeps', DEEP, odd);
      const expected = inOData(property, read);
      const { value } = await odata('Deep?$expand=Flat,Flats');
      expect(value).toMatchObject([
        { Id: 'z', Flat: { Id: 'a' } },
        {
          Id: 'a',
          Flat: { Id: 'a', [pascal(property)]: expected },
          Flats: [{ Id: 'a', [pascal(property)]: expected }],
        },
      ]);
      expect(await odata("Deep('a')?$expand=Flat")).toMatchObject({ Flat: { [pascal(property)]: expected } });
      expect(await served.query(`{ deeps { id flats { ${property} } } }`)).toMatchObject({
        data: { deeps: [{ id: 'z' }, { id: 'a', flats: [{ [property]: read }] }] },
      });
    },
  );

  it.each<readonly [property: keyof typeof DEEP, json: string, read: unknown]>([
    ['amount', '"12.50"', '12.50'],
    ['amount', '"much"', null],
    ['tags', '"x"', ['x']],
    ['tags', 'null', []],
    ['tags', '[1,true,null,{"a":1}]', ['1', 'true', null, null]],
    ['tags', '{}', []],
    ['states', '["zzz"]', ['zzz']],
    ['address', 'null', null],
    ['address', '"Main Street 1"', null],
    ['address', '[]', null],
    ['address', '{"zip":"12"}', { Town: null, Zip: 12 }],
    ['address', '{"town":["t"],"zip":null,"more":1}', { Town: null, Zip: null }],
    ['addresses', '{"town":"t","zip":"x"}', [{ Town: 't', Zip: null }]],
    ['addresses', '["x",{"town":"t"}]', [null, { Town: 't', Zip: null }]],
    ['pet', '{"kind":"Bird"}', { Kind: 'Bird' }],
    ['pet', '{"lives":1}', { Kind: null }],
    ['pet', '{"kind":"Cat","lives":"many"}', { '@type': '#Test.Cat', Kind: 'Cat', Lives: null }],
  ])('costs no row where it is no scalar: %s is %s', async (property, json, read) => {
    answerWith('deeps', DEEP, withJson(DEEP, property, json));
    expect(await odata('Deep')).toMatchObject({
      value: [{ Id: 'z' }, { Id: 'a', [pascal(property)]: read }],
    });
    expect((await odata("Deep('a')"))[pascal(property)]).toStrictEqual(read);
    const fields = 'id amount tags states address { town zip } addresses { town zip } pet { kind }';
    const result = await served.query(`{ deeps { ${fields} } deep(id: "a") { ${fields} } }`);
    expect(result).toMatchObject({ data: { deeps: [{ id: 'z' }, { id: 'a' }], deep: { id: 'a' } } });
    expect(result).not.toHaveProperty('errors');
  });

  it('is null to GraphQL, too, where it is beyond its type', async () => {
    answerWith('flats', FLAT, withJson(FLAT, 'size', '9223372036854775808'));
    expect((await odata('Flat?$select=Size')).value).toMatchObject([{ Size: '2' }, { Size: null }]);
    expect(await served.query('{ flats { size } }')).toStrictEqual({
      data: { flats: [{ size: 2 }, { size: null }] },
    });
  });

  it('is no key', async () => {
    answers['GET /flats'] = Buffer.from(`[${withJson(FLAT, 'id', '{"a":1}')}]`);
    expect((await served.ask('Flat'))[0]).toBe(502);
    answers['GET /deeps'] = Buffer.from(`[${withJson(DEEP, 'id', '["a"]')}]`);
    expect((await served.ask('Deep'))[0]).toBe(502);
  });

  it('is read in the result of a function', async () => {
    answers['GET /count'] = Buffer.from('"12"');
    expect(await served.ask('Count()')).toStrictEqual([200, { value: 12 }]);
    answers['GET /count'] = Buffer.from('{}');
    expect(await served.ask('Count()')).toStrictEqual([204]);
  });

  it('is counted, and warned of once a property', async () => {
    answerWith('flats', FLAT, withJson({ ...FLAT, at: 'soon' }, 'count', '"many"'));
    const own = await serveDocument(DOCUMENT, answers);
    await own.ask('Flat');
    await own.query('{ flats { count } }');
    const metrics = await (await fetch(`${own.gateway.url}/metrics`)).text();
    const counted = metrics.split('\n').filter((line) => line.startsWith('duogate_upstream_deviations'));
    expect(counted).toStrictEqual([
      'duogate_upstream_deviations_total{source="Test",property="Flat/count"} 2',
      'duogate_upstream_deviations_total{source="Test",property="Flat/at"} 1',
    ]);
    const warned = own.entries().filter(({ msg }) => /do not match its document/.test(String(msg)));
    expect(
      warned.map(({ source, property, expected, found }) => [source, property, expected, found]),
    ).toStrictEqual([
      ['Test', 'Flat/count', 'an integer of 32 bits', 'a text'],
      ['Test', 'Flat/at', 'a value of Edm.DateTimeOffset', 'a text'],
    ]);
    expect(JSON.stringify(own.entries())).not.toMatch(/many|soon/);
  });
});

describe('the metadata of a document that is not strict', () => {
  it('has nothing but keys that cannot be null, and no enumeration types', async () => {
    const lines = await served.csdl('<Property ');
    expect(lines.filter((line) => line.includes('Nullable="false"'))).toStrictEqual([
      '<Property Name="Id" Type="Edm.String" Nullable="false"/>',
      '<Property Name="Id" Type="Edm.String" Nullable="false"/>',
    ]);
    expect(await served.csdl('<EnumType')).toStrictEqual([]);
    expect(lines).toContain('<Property Name="Status" Type="Edm.String"/>');
    expect(await served.csdl('<PropertyValue Property="Value" String="active"')).toHaveLength(1);
  });

  it('has the same types for GraphQL', async () => {
    const query = '{ __type(name: "Flat") { fields { name type { kind name } } } }';
    const { data } = (await served.query(query)) as {
      readonly data: { readonly __type: { readonly fields: readonly { name: string; type: object }[] } };
    };
    expect(data.__type.fields.slice(0, 4)).toStrictEqual([
      { name: 'nodeId', type: { kind: 'NON_NULL', name: null } },
      { name: 'id', type: { kind: 'NON_NULL', name: null } },
      { name: 'status', type: { kind: 'SCALAR', name: 'String' } },
      { name: 'count', type: { kind: 'SCALAR', name: 'Int' } },
    ]);
  });
});
