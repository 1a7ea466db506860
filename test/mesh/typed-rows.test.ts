import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { arrayOf, type Row, TYPE } from '../../src/contract/row.ts';
import { listOf, readOf } from '../support/model.ts';
import { answer, type DocumentScene, openDocument } from './document-scene.ts';
import { callContext, failureOf } from './support.ts';

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;

function set(path: string, schema: string): string {
  return `
${path}: { get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} } }
${path}/{id}: { get: { operationId: read${schema}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: ${answer(ref(schema))} } }`;
}

const PETS = `
Pet:
  type: object
  required: [id, pet-type]
  discriminator: { propertyName: pet-type, mapping: { cat: '#/components/schemas/Cat' } }
  properties: { id: { type: integer }, pet-type: { type: string }, name: { type: string }, home: ${ref('Place')} }
Cat: { allOf: [${ref('Pet')}, { type: object, required: [lives], properties: { lives: { type: integer } } }] }
Dog: { allOf: [${ref('Pet')}, { type: object, properties: { tricks: { type: array, items: { type: string } } } }] }
Place:
  type: object
  discriminator: { propertyName: kind }
  properties: { kind: { type: string }, near: { type: array, items: ${ref('Place')} } }
Hill: { allOf: [${ref('Place')}, { type: object, properties: { height: { type: number, format: decimal } } }] }`;

async function openPets(pets: unknown): Promise<DocumentScene> {
  const text = typeof pets === 'string' ? pets : JSON.stringify(pets);
  return openDocument(set('/pets', 'Pet'), PETS, (_, reply) => reply.send(200, text));
}

async function readPets(scene: DocumentScene, properties: readonly string[]): Promise<readonly Row[]> {
  const read = listOf(scene.set('Pet'), properties);
  return arrayOf((await scene.source.readCollection(read, callContext())).data);
}

describe('rows of derived types', () => {
  it('have what their type has of what is asked for, and say their type', async () => {
    const scene = await openPets([
      { id: 1, 'pet-type': 'cat', name: 'Tom', lives: 9, tricks: ['none'] },
      { id: 2, 'pet-type': 'Dog', tricks: ['roll', 'sit'] },
      { id: 3, 'pet-type': 'cat', LIVES: 1 },
      { id: 4, 'pet-type': 'Pet', name: 'Some' },
      { id: 5, 'pet-type': 'unicorn', name: 'Other', lives: 3 },
    ]);
    const rows = await readPets(scene, ['Tricks', 'Lives', 'Name']);
    expect(rows).toStrictEqual([
      { Lives: 9, Name: 'Tom', [TYPE]: 'Cat' },
      { Tricks: ['roll', 'sit'], Name: null, [TYPE]: 'Dog' },
      { Lives: 1, Name: null, [TYPE]: 'Cat' },
      { Name: 'Some' },
      { Name: 'Other' },
    ]);
    expect(rows.map(Object.keys)).toEqual([
      ['Lives', 'Name'],
      ['Tricks', 'Name'],
      ['Lives', 'Name'],
      ['Name'],
      ['Name'],
    ]);
  });

  it('are read by their key, and where nothing of them is asked for', async () => {
    const scene = await openPets({ id: 1, 'pet-type': 'cat', lives: 9 });
    const read = readOf(scene.set('Pet'), ['Lives'], 1);
    expect((await scene.source.readEntity(read, callContext()))?.data).toStrictEqual({
      Lives: 9,
      [TYPE]: 'Cat',
    });
    const bare = readOf(scene.set('Pet'), [], 1);
    expect((await scene.source.readEntity(bare, callContext()))?.data).toStrictEqual({ [TYPE]: 'Cat' });
  });

  it('have complex values of derived types, at every depth', async () => {
    const near = [{ kind: 'Hill', height: 1.5 }, { kind: 'Place' }, { kind: 'lake', height: 2 }];
    const scene = await openPets([{ id: 1, 'pet-type': 'Dog', home: { kind: 'Hill', height: 2, near } }]);
    expect(await readPets(scene, ['Home'])).toStrictEqual([
      {
        Home: {
          Kind: 'Hill',
          Near: [
            { Kind: 'Hill', Near: [], Height: 1.5, [TYPE]: 'Hill' },
            { Kind: 'Place', Near: [] },
            { Kind: 'lake', Near: [] },
          ],
          Height: 2,
          [TYPE]: 'Hill',
        },
        [TYPE]: 'Dog',
      },
    ]);
  });

  it.each([
    ['misses what its own type demands', [{ id: 1, 'pet-type': 'cat' }], '[0].lives: expected a value'],
    ['has a wrong value of its own', [{ id: 1, 'pet-type': 'Dog', tricks: ['1', {}] }], '[0].tricks[1]'],
    ['has no value for what all demand', [{ id: 1 }], 'pet-type'],
  ])('are refused where one %s', async (_, pets, place) => {
    const scene = await openPets(pets);
    expect((await failureOf(readPets(scene, ['Lives', 'Tricks']))).code).toBe('UpstreamBadResponse');
    expect(JSON.stringify(scene.log)).toContain(place);
  });
});

const UNION = `
Thing:
  oneOf: [${ref('Cat')}, ${ref('Dog')}]
  discriminator: { propertyName: kind, mapping: { c: '#/components/schemas/Cat', d: '#/components/schemas/Dog' } }
Cat: { type: object, required: [id, kind], properties: { id: { type: integer }, kind: { type: string }, lives: { type: integer } } }
Dog: { type: object, required: [id, kind], properties: { id: { type: integer }, kind: { type: string }, tricks: { type: string } } }`;

describe('rows of a union', () => {
  const open = (things: unknown) =>
    openDocument(set('/things', 'Thing'), UNION, (_, reply) => reply.json(things));

  it('are of the branch that the discriminator says', async () => {
    const scene = await open([
      { id: 1, kind: 'c', lives: 9 },
      { id: 2, kind: 'd', tricks: 'roll' },
    ]);
    const read = listOf(scene.set('Thing'), ['Lives', 'Tricks']);
    expect((await scene.source.readCollection(read, callContext())).data).toStrictEqual([
      { Lives: 9, [TYPE]: 'Cat' },
      { Tricks: 'roll', [TYPE]: 'Dog' },
    ]);
  });

  it('are refused where it says none of them', async () => {
    const scene = await open([
      { id: 1, kind: 'c' },
      { id: 2, kind: 'x' },
    ]);
    const read = listOf(scene.set('Thing'), ['Lives']);
    expect((await failureOf(scene.source.readCollection(read, callContext()))).code).toBe(
      'UpstreamBadResponse',
    );
    expect(JSON.stringify(scene.log)).toContain('[1].kind');
  });
});

const OPEN = `
Thing:
  type: object
  additionalProperties: true
  properties: { id: { type: integer }, the-name: { type: string }, secret: { type: string, writeOnly: true } }`;

describe('rows of an open type', () => {
  const things = `[{"id":1,"The-Name":"a","secret":"s","extra":1,"large":9007199254740993,"list":[{"a":null,"__proto__":2}],
    "a-b":1,"$x":1,"__proto__":{"polluted":true},"constructor":"c","naïve":true}]`;
  const open = () => openDocument(set('/things', 'Thing'), OPEN, (_, reply) => reply.send(200, things));

  it('have what no type declares, where that is asked for', async () => {
    const scene = await open();
    const read = { ...listOf(scene.set('Thing'), ['TheName']), dynamic: true };
    const { data } = await scene.source.readCollection(read, callContext());
    expect(data).toStrictEqual([
      {
        TheName: 'a',
        extra: 1,
        large: 9007199254740993n,
        list: [{ a: null }],
        constructor: 'c',
        naïve: true,
      },
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('have nothing of it otherwise', async () => {
    const scene = await open();
    const { data } = await scene.source.readCollection(
      listOf(scene.set('Thing'), ['TheName']),
      callContext(),
    );
    expect(data).toStrictEqual([{ TheName: 'a' }]);
  });
});

const ORDERS = `
Order:
  type: object
  properties:
    id: { type: integer }
    the-customer: ${ref('Customer')}
    items: { type: array, items: ${ref('Item')} }
Customer: { type: object, properties: { id: { type: integer }, full-name: { type: string }, orders: { type: array, items: ${ref('Order')} } } }
Item: { type: object, properties: { id: { type: integer }, price: { type: number, format: decimal }, order: ${ref('Order')} } }`;

describe('embedded entities', () => {
  it('are given with all their structural properties and what they embed themselves', async () => {
    const paths = ['Order', 'Customer', 'Item'].map((name) => set(`/${name}`, name)).join('\n');
    const order =
      '{"id":1,"the-customer":{"id":7,"full-name":"A","orders":[]},"items":[{"id":2,"price":0.10}]}';
    const scene = await openDocument(paths, ORDERS, (_, reply) =>
      reply.send(200, `[${order},{"id":2,"the-customer":null}]`),
    );
    const read = listOf(scene.set('Order'), ['Items', 'Id', 'TheCustomer']);
    const { data } = await scene.source.readCollection(read, callContext());
    expect(data).toStrictEqual([
      {
        Items: [{ Id: 2, Price: 0.1, Order: null }],
        Id: 1,
        TheCustomer: { Id: 7, FullName: 'A', Orders: [] },
      },
      { Items: [], Id: 2, TheCustomer: null },
    ]);
  });
});

const TREE = `
Thing: { type: object, properties: { id: { type: integer }, tree: ${ref('Tree')}, bag: { type: object, additionalProperties: true } } }
Tree: { type: object, properties: { leaf: { type: string, enum: [a, b] }, below: { type: array, items: ${ref('Tree')} } } }`;

describe('data that is nested', () => {
  const nested = (levels: number) => `${'{"below":['.repeat(levels)}{"leaf":"a"}${']}'.repeat(levels)}`;
  const readNested = async (json: string, property: string) => {
    const scene = await openDocument(set('/things', 'Thing'), TREE, (_, reply) =>
      reply.send(200, `[{"id":1,"${property.toLowerCase()}":${json}}]`),
    );
    return scene.source.readCollection(listOf(scene.set('Thing'), [property]), callContext());
  };

  it('is read as deep as it goes', async () => {
    expect((await readNested(nested(20), 'Tree')).data).toHaveLength(1);
  });

  it.each([
    ['Tree', nested(150)],
    ['Tree', nested(20_000)],
    ['Bag', nested(150)],
    ['Bag', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['Bag', `{"a":${'['.repeat(20_000)}0.12345678901234567890${']'.repeat(20_000)}}`],
    ['Tree', '{"below":[{"leaf":"c"}]}'],
    ['Tree', '{"below":{}}'],
    ['Tree', '[]'],
  ])('too deep, or not by its type, is refused: %s', async (property, json) => {
    expect((await failureOf(readNested(json, property))).code).toBe('UpstreamBadResponse');
  });
});

describe('the same data', () => {
  const json = '[{"id":1,"price":0.12345678901234567890,"size":0.12345678901234567890}]';
  const schema =
    'Thing: { type: object, properties: { id: { type: integer }, price: { type: number, format: decimal }, size: { type: number } } }';

  it.each([
    ['as it is', json, {}],
    ['compressed', gzipSync(json), { 'content-encoding': 'gzip' }],
    ['with an entity tag', json, { etag: '"1"' }],
  ])('sent %s is one version, whether all digits are read or not', async (_, body, headers) => {
    const scene = await openDocument(set('/things', 'Thing'), schema, (request, reply) => {
      if (request.headers['if-none-match'] === '"1"') reply.write('HTTP/1.1 304 -\r\n\r\n');
      else reply.send(200, body, headers);
    });
    const read = (properties: readonly string[]) =>
      scene.source.readCollection(listOf(scene.set('Thing'), properties), callContext());
    const [flat, exact, flatAgain, exactAgain] = [
      await read(['Size']),
      await read(['Price', 'Size']),
      await read(['Size']),
      await read(['Price', 'Size']),
    ];
    expect(flat.data).toEqual([{ Size: 0.12345678901234568 }]);
    expect(exact.data).toEqual([{ Price: '0.12345678901234567890', Size: 0.12345678901234568 }]);
    expect(new Set([flat, exact, flatAgain, exactAgain].map(({ version }) => version)).size).toBe(1);
    expect([flatAgain.data, exactAgain.data]).toEqual([flat.data, exact.data]);
    expect(exactAgain.data).toBe(exact.data);
  });
});

describe('entities with links and with names that GraphQL does not allow', () => {
  it.each([[['Id', 'TheName']], [['Id', 'TheName', 'Price']]])(
    'have their properties %j',
    async (properties) => {
      const linked = answer(`{ type: array, items: ${ref('Thing')} }`).replace(
        'description: ok,',
        "description: ok, links: { the-name: { operationId: readThing, parameters: { id: '$response.body#/0/id' } } },",
      );
      const paths = set('/things', 'Thing').replace(
        answer(`{ type: array, items: ${ref('Thing')} }`),
        linked,
      );
      const schema =
        'Thing: { type: object, properties: { id: { type: integer }, the-name: { type: string }, price: { type: number, format: decimal } } }';
      const scene = await openDocument(paths, schema, (_, reply) =>
        reply.json([{ id: 1, 'the-name': 'a', price: 1.5 }]),
      );
      const { data } = await scene.source.readCollection(
        listOf(scene.set('Thing'), properties),
        callContext(),
      );
      const whole: Record<string, unknown> = { Id: 1, TheName: 'a', Price: 1.5 };
      expect(data).toEqual([Object.fromEntries(properties.map((name) => [name, whole[name]]))]);
    },
  );
});

describe('the text of an answer', () => {
  const thing = 'Thing: { type: object, properties: { id: { type: integer }, name: { type: string } } }';
  const read = async (bytes: Buffer, mediaType: string) => {
    const scene = await openDocument(set('/things', 'Thing'), thing, (_, reply) =>
      reply.send(200, bytes, { 'content-type': mediaType }),
    );
    return (await scene.source.readCollection(listOf(scene.set('Thing'), ['Name']), callContext())).data;
  };
  const text = '[{ "id": 1, "name": "na\u00efve" }]';

  it.each([
    ['application/json', 'utf8'],
    ['application/json; charset=utf-8', 'utf8'],
    ['application/json; charset=iso-8859-1', 'utf8'],
    ['application/json;charset="ISO-8859-1"', 'latin1'],
    ['text/json; Charset=windows-1252', 'latin1'],
  ] as const)('is read by the charset of %s, in %s', async (mediaType, encoding) => {
    expect(await read(Buffer.from(text, encoding), mediaType)).toEqual([{ Name: 'na\u00efve' }]);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'application/json; charset=unknown'])(
    'is refused if it is no UTF-8, as %s',
    async (mediaType) => {
      expect((await failureOf(read(Buffer.from(text, 'latin1'), mediaType))).code).toBe(
        'UpstreamBadResponse',
      );
    },
  );
});
