import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { useGateway } from '../support/running-gateway.ts';
import { ITEMS_DOCUMENT } from './members.document.ts';
import { rowsSource } from './query/rows-source.ts';

const project = mkdtempSync(join(tmpdir(), 'items-'));
writeFileSync(join(project, 'items.json'), JSON.stringify(ITEMS_DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Stock\n    handler:\n      openapi:\n        source: ./items.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml'), MEMORY_MIB: '0' });

const PLACE = '2024-01-01';
const item = (id: number, code: string, shelf: number, ...tags: readonly string[]) => ({
  id,
  code,
  shelf,
  place: PLACE,
  tags,
});
const ITEMS = [
  item(1, 'a', 1, 'x', 'y'),
  item(2, 'b/c', 1, 'x'),
  item(3, 'double', 2, 'z'),
  item(4, 'double', 3),
];

const NOTE = '{"id":"n","size":5,"none":null,"by":{"name":"Kim"},"tags":["a"],"big":9007199254740993}';

/** Finds items by their code, answers changes with what they are sent, and has no item 2 to be changed. */
beforeEach(() =>
  gateway.upstream.behave(({ method, target, body }, reply) => {
    const url = new URL(target, 'http://x');
    const code = url.searchParams.get('code');
    const found = ITEMS.find(({ id }) => url.pathname === `/items/${id}`);
    const [, called, name] = /^\/items\/(\d+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (name === 'stock') reply.json(called === '4' ? null : Number(called) * 10);
    else if (name === 'size') reply.json({ height: Number(called) });
    else if (url.pathname === '/notes/n') reply.send(200, NOTE);
    else if (url.pathname === '/items')
      reply.json(ITEMS.filter((each) => code === null || each.code === code));
    else if (found === undefined) reply.send(404, '{}');
    else if (method === 'GET') reply.json(found);
    else if (found.id === 2) reply.send(409, '{}');
    else reply.send(method === 'DELETE' ? 204 : 200, body);
  }),
);

async function ask(call: string, body?: string) {
  const before = gateway.upstream.requests.length;
  const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
  const { status, text } = await gateway.fetch(`/odata/${path}`, {
    method,
    headers: { 'content-type': 'application/json', prefer: 'return=representation' },
    body: body ?? null,
  });
  const requested = gateway.upstream.requests
    .slice(before)
    .map((request) => `${request.method} ${request.target} ${request.body}`.trimEnd());
  return { status, text: text.replaceAll(`${gateway.url}/odata`, '~'), asked: requested };
}

const found = (row: (typeof ITEMS)[number]) =>
  JSON.stringify({
    '@odata.context': '~/$metadata#Item/$entity',
    Id: row.id,
    Code: row.code,
    Shelf: row.shelf,
    Place: row.place,
    Tags: row.tags,
  });

const [FIRST, SECOND, THIRD] = ITEMS;

describe('alternate keys (Part 2, 4.3.5)', () => {
  it.each([
    ["Item(Code='a')", FIRST, 'GET /items?code=a'],
    ["Item(Code='b%2Fc')", SECOND, 'GET /items?code=b%2Fc'],
    ["Item(Code=@c)?@c='b/c'", SECOND, 'GET /items?code=b%2Fc'],
    [`Item(Place=${PLACE},Shelf=2)`, THIRD, 'GET /items'],
    ["Item/$filter(Shelf eq 1)(Code='a')", FIRST, 'GET /items'],
  ])('%s', async (path, row, asked) => {
    const answered = await ask(`GET ${path}`);
    expect(answered.asked).toEqual([asked]);
    expect(answered).toMatchObject({ status: 200, text: row && found(row) });
  });

  it.each([
    ["Item(Code='none')", 404, "There is no Item(Code='none')."],
    [
      "Item(Code='double')",
      502,
      "There is more than one Item(Code='double'): the API gives several entities this key.",
    ],
    [
      `Item(Shelf=1,Place=${PLACE})`,
      502,
      `There is more than one Item(Shelf=1,Place=${PLACE}): the API gives several entities this key.`,
    ],
    ["Item(Code='none')/Tags", 404, "There is no Item(Code='none')."],
    [
      'Item(Code=null)',
      400,
      'Key of Item, Code: expected a value of Edm.String, which stands in single quotes, found null.',
    ],
    [
      'Item(Code=5)',
      400,
      'Key of Item, Code: expected a value of Edm.String, which stands in single quotes, found 5.',
    ],
    ['Item(Shelf=1)', 400, 'Key of Item: expected a value for Id, each once.'],
  ])('%s is refused', async (path, status, message) => {
    const answered = await ask(`GET ${path}`);
    expect([answered.status, JSON.parse(answered.text).error.message]).toEqual([status, message]);
  });

  it('lead on to properties, and to changes by the primary key', async () => {
    expect(await ask("GET Item(Code='a')/Tags/$count")).toMatchObject({ status: 200, text: '2' });
    expect(await ask("DELETE Item(Code='a')")).toMatchObject({
      status: 204,
      asked: ['GET /items?code=a', 'DELETE /items/1'],
    });
  });

  it('are announced as Core.AlternateKeys', async () => {
    const { text: xml } = await ask('GET $metadata');
    expect(xml).toContain('<PropertyValue Property="Name" PropertyPath="Code"/>');
    const { text } = await ask('GET $metadata?$format=json');
    expect(JSON.parse(text).Stock.Container.Item['@Core.AlternateKeys']).toEqual([
      { Key: [{ Name: 'Code', Alias: 'Code' }] },
      {
        Key: [
          { Name: 'Shelf', Alias: 'Shelf' },
          { Name: 'Place', Alias: 'Place' },
        ],
      },
    ]);
  });
});

describe('properties that an open type does not declare (CSDL 4.01, 6.3) as resources (Part 2, 4.6)', () => {
  it.each([
    ['size', 200, '{"@odata.context":"~/$metadata#Note(\'n\')/size","value":5}'],
    ['big', 200, '{"@odata.context":"~/$metadata#Note(\'n\')/big","value":9007199254740993}'],
    ['by', 200, '{"@odata.context":"~/$metadata#Note(\'n\')/by","value":{"name":"Kim"}}'],
    ['by/name', 200, '{"@odata.context":"~/$metadata#Note(\'n\')/by/name","value":"Kim"}'],
    ['by/nope', 204, ''],
    ['by/constructor', 204, ''],
    ['none', 204, ''],
    ['nope', 404, '{"error":{"code":"NotFound","message":"Note(\'n\') has no property \\"nope\\"."}}'],
    [
      '__proto__',
      404,
      '{"error":{"code":"NotFound","message":"Note(\'n\') has no property \\"__proto__\\"."}}',
    ],
  ])('%s', async (name, status, text) => {
    expect(await ask(`GET Note('n')/${name}`)).toEqual({ status, text, asked: ['GET /notes/n'] });
  });

  it('cannot be changed by themselves', async () => {
    expect(await ask("PUT Note('n')/size", '{"value":1}')).toMatchObject({ status: 405, asked: [] });
    expect(await ask("GET Note('n')/size/$value")).toMatchObject({ status: 501, asked: [] });
  });
});

describe('a subset of a collection (Part 2, 4.12), and how many there are (4.8)', () => {
  it.each([
    ['Item/$filter(Shelf eq 1)/$count', '2'],
    ['Item/$count($filter=Shelf eq 1)', '2'],
    ['Item/$count($filter=Shelf eq 1)?$filter=Id gt 1', '1'],
    ['Item/$count($search=double)', '2'],
    ['Item/$count(search=double;filter=Id eq 3)?$search=double', '1'],
    ["Item(1)/Tags/$count($filter=$it eq 'x')", '1'],
    ["Item/$count?$filter=Tags/$count($filter=$this eq 'x') gt 0", '2'],
    ['Item/$filter(Shelf eq 1)(1)/Code/$value', 'a'],
    ['Item/$filter(Shelf eq 1)/1/Code/$value', 'a'],
    ['Item/$filter(Shelf eq 1)/$filter(Id eq 1)/$count', '1'],
  ])('GET %s', async (path, text) => {
    expect(await ask(`GET ${path}`)).toMatchObject({ status: 200, text });
  });

  it('has no entity that the filter leaves out', async () => {
    expect(await ask('GET Item/$filter(Shelf eq 1)(3)')).toMatchObject({ status: 404 });
    expect(await ask('DELETE Item/$filter(Shelf eq 1)(3)')).toMatchObject({
      status: 404,
      asked: ['GET /items'],
    });
    expect(await ask('DELETE Item/$filter(Shelf eq 2)(3)')).toMatchObject({ status: 204 });
  });
});

describe('each member of a collection (Part 2, 4.13)', () => {
  it('is deleted, one after the other', async () => {
    expect(await ask('DELETE Item/$filter(@f)/$each?@f=Shelf gt 1')).toEqual({
      status: 204,
      text: '',
      asked: ['GET /items', 'DELETE /items/3', 'DELETE /items/4'],
    });
  });

  it('is changed', async () => {
    expect(await ask('PATCH Item/$filter(Shelf gt 1)/$each', '{"Code":"new"}')).toEqual({
      status: 204,
      text: '',
      asked: ['GET /items', 'PATCH /items/3 {"code":"new"}', 'PATCH /items/4 {"code":"new"}'],
    });
  });

  it('is nothing where there is none', async () => {
    expect(await ask('DELETE Item/$filter(Shelf gt 9)/$each')).toMatchObject({
      status: 204,
      asked: ['GET /items'],
    });
  });

  it('tells how far it came', async () => {
    const { status, text, asked } = await ask('DELETE Item/$filter(Shelf eq 1)/$each');
    expect([status, asked]).toEqual([409, ['GET /items', 'DELETE /items/1', 'DELETE /items/2']]);
    expect(JSON.parse(text).error.message).toMatch(/ Of 2 members 1 had been changed before\.$/);
  });

  it('is not begun with a body that does not fit, or with too many members', async () => {
    expect(await ask('PATCH Item/$each', '{"Nope":1}')).toMatchObject({ status: 400, asked: [] });
    gateway.upstream.behave((_, reply) =>
      reply.json(Array.from({ length: 101 }, (_each, index) => item(index, 'c', 1))),
    );
    const { status, text, asked } = await ask('DELETE Item/$each');
    expect([status, asked]).toEqual([400, ['GET /items']]);
    expect(JSON.parse(text).error.message).toBe(
      '/$each: expected at most 100 members, found 101; use /$filter for fewer.',
    );
  });

  it.each([
    ['GET Item/$each', 405],
    ['PUT Item/$each', 405],
    ['DELETE Item/$each?$top=1', 400],
  ])('%s', async (call, status) => {
    expect(await ask(call)).toMatchObject({ status, asked: [] });
  });

  it.each([
    ['POST Item/$each/Stock.Act', 'Stock.Act'],
    ['DELETE Item(1)/Tags/$each', '/$each'],
  ])('%s is not implemented, and %s is what is not', async (call, target) => {
    const { status, text, asked } = await ask(call);
    expect([status, asked, JSON.parse(text).error.target]).toStrictEqual([501, [], target]);
  });
});

describe('functions of the model in expressions (Part 2, 5.1.1.15)', () => {
  const called = (...ids: readonly number[]) => ids.map((id) => `GET /items/${id}/stock`);

  it.each([
    ['Item?$filter=Stock.Stock() gt 10&$select=Id', [2, 3], called(1, 2, 3, 4)],
    ['Item?$filter=Stock() eq null&$select=Id', [4], called(1, 2, 3, 4)],
    ['Item?$filter=$it/Stock() eq 10&$select=Id', [1], called(1, 2, 3, 4)],
    ['Item?$filter=Stock() gt 10 and Id lt 3&$select=Id', [2], called(1, 2)],
    ['Item?$filter=Stock() gt 10 and not (Stock() gt 20)&$select=Id', [2], called(1, 2, 3, 4)],
    ['Item?$filter=S gt 10 and Id ne 3&$compute=Stock() add 0 as S&$select=Id', [2], called(1, 2, 4)],
    ['Item?$orderby=Stock() desc&$top=2&$select=Id', [3, 2], called(1, 2, 3, 4)],
    ['Item?$filter=Size()/Height ge 3&$select=Id', [3, 4], undefined],
    ["Item?$filter=Stock(At=@a) eq 20&@a='now'&$select=Id", [2], undefined],
    ['Item/$filter(Stock() eq 30)?$select=Id', [3], undefined],
    ['Item?$filter=false and Stock() eq 1&$select=Id', [], []],
    ['Item?$apply=filter(Stock() gt 10)&$select=Id', [2, 3], called(1, 2, 3, 4)],
    ['Item?$apply=filter(Stock() gt 10 and Id lt 3)&$filter=Id gt 0&$select=Id', [2], called(1, 2)],
    ['Item?$apply=filter(Id lt 3)&$orderby=Stock() desc&$select=Id', [2, 1], called(1, 2)],
    ['Item?$apply=topcount(1,Stock())&$select=Id', [3], called(1, 2, 3, 4)],
  ])('%s', async (path, ids, calls) => {
    const { status, text, asked } = await ask(`GET ${path}`);
    expect([status, JSON.parse(text).value.map(({ Id }: { Id: number }) => Id)]).toEqual([200, ids]);
    if (calls !== undefined) expect(asked.toSorted()).toEqual(['GET /items', ...calls].toSorted());
  });

  it('are counted by, and computed', async () => {
    expect((await ask('GET Item/$count?$filter=Stock() gt 10')).text).toBe('2');
    expect((await ask('GET Item/$count?$apply=filter(Stock() gt 10)')).text).toBe('2');
    const summed = await ask('GET Item?$apply=groupby((Shelf),aggregate(Stock() with sum as S))/top(1)');
    expect(JSON.parse(summed.text).value).toMatchObject([{ Shelf: 1, S: 30 }]);
    const { text } = await ask('GET Item(2)?$compute=Stock() add 1 as More&$select=More');
    expect(JSON.parse(text).More).toBe(21);
    expect((await ask("GET Item(2)?$compute=Stock(At='x') as S&$select=S")).asked).toContain(
      'GET /items/2/stock?at=x',
    );
    const { asked } = await ask("GET Item?$compute=Stock(At=concat('x',cast(Id,Edm.String))) as S&$select=S");
    expect(asked.toSorted()).toEqual([
      'GET /items',
      ...[1, 2, 3, 4].map((id) => `GET /items/${id}/stock?at=x${id}`),
    ]);
  });

  it.each([
    [
      'Item?$filter=Nope() eq 1',
      400,
      "$filter: expected a property, found the unknown function 'Nope' at position 0",
    ],
    [
      'Item?$filter=Stock(Nope=1) eq 1',
      400,
      "$filter: 'Stock' expects the parameters (At?), found Nope at position 0",
    ],
    [
      'Item?$filter=Stock(At=1) eq 1',
      400,
      'Parameter At: expected a value of Edm.String, which stands in single quotes, found 1.',
    ],
    [
      "Item?$filter=Stock() eq 'x'",
      400,
      "$filter: 'eq' expects operands of one type, found Edm.Int32 and Edm.String at position 8",
    ],
    [
      'Item?$apply=compute(Id add 1 as X)/filter(Stock(At=cast(X,Edm.String)) eq 1)',
      501,
      '$apply: a parameter that is not computed from the entity alone at position 39 is not implemented',
    ],
    [
      'Item?$filter=Stock(At=cast(Stock(),Edm.String)) eq 1',
      501,
      '$filter: a parameter that is not computed from the entity alone at position 9 is not implemented',
    ],
    [
      'Item?$apply=groupby((Shelf))&$filter=Stock() eq 1',
      501,
      "$filter: the function 'Stock' in an expression at position 0 is not implemented",
    ],
    [
      'Item?$filter=Id lt $these/$count and Stock() eq 1',
      501,
      '$filter: a function beside $these at position 24 is not implemented',
    ],
  ])('%s is refused', async (path, status, message) => {
    const answered = await ask(`GET ${path}`);
    expect([answered.status, JSON.parse(answered.text).error.message, answered.asked]).toEqual([
      status,
      message,
      [],
    ]);
  });

  it('are called for those who may call them', async () => {
    const { model } = modelFromOpenApi([{ name: 'Stock', document: ITEMS_DOCUMENT }]);
    const { source, reads } = rowsSource({ Item: [{ Id: 1 }] });
    const odata = createODataEndpoint({
      model,
      source: guardSource(source, permissionsOf(model), model),
      root: 'http://x/odata',
      answerMemoryBytes: 0,
    });
    const { status } = await odata({
      id: 't',
      principal: { kind: 'user', id: 'r', roles: ['Reader'] },
      signal: new AbortController().signal,
      method: 'GET',
      target: '/Item?$filter=Stock()%20eq%201',
      headers: {},
      body: undefined,
    });
    expect([status, reads.length]).toEqual([403, 1]);
  });

  it('are not called for too many', async () => {
    gateway.upstream.behave((_, reply) =>
      reply.json(Array.from({ length: 101 }, (_each, index) => item(index, 'c', 1))),
    );
    const { status, text, asked } = await ask('GET Item?$filter=Stock() eq 1');
    expect([status, asked]).toEqual([400, ['GET /items']]);
    expect(JSON.parse(text).error.message).toBe(
      'Expected at most 100 calls of functions for one query, found 101; narrow the conditions.',
    );
  });
});
