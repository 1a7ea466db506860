import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutDigest } from '../support/entity-tag.ts';
import { useGateway } from '../support/running-gateway.ts';
import { SHOP_DOCUMENT } from './structural.document.ts';

const project = mkdtempSync(join(tmpdir(), 'shop-'));
writeFileSync(join(project, 'shop.json'), JSON.stringify(SHOP_DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Shop\n    handler:\n      openapi:\n        source: ./shop.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });

const FULL = `{"id":"a","first-seen":"2024-02-29","stock":9007199254740993,"price":12345678901234567890.123,
  "colour":"dark red","sizes":["b/w","green"],"tags":["x","y"],"secret":"s",
  "maker":{"full name":"M","founded":"2020-01-01T00:00:00Z","address":{"city":"Köln","1st-line":"L"}},
  "parts":[{"serial":9007199254740995,"weight":0.1234567890123456789,"colour":"b/w",
    "parts":[{"serial":1,"weight":1.5,"colour":null,"parts":[]}]}]}`;

beforeEach(() =>
  gateway.upstream.behave(({ method, target, body }, reply) => {
    if (method === 'POST') reply.send(201, body);
    else if (target === '/products') reply.send(200, `{"items":[${FULL},{"id":"b"}],"total":2}`);
    else if (target === '/products/a') reply.send(200, FULL);
    else reply.send(404, '{}');
  }),
);

async function text(path: string, init?: RequestInit): Promise<string> {
  const answer = await gateway.fetch(path, init);
  return withoutDigest(answer.text, answer).replaceAll(`${gateway.url}/odata`, '~');
}

const INNER = '[{"Serial":1,"Weight":1.5,"Colour":null,"Parts":[]}]';
const A = `"Id":"a","FirstSeen":"2024-02-29","Stock":9007199254740993,"Price":12345678901234567890.123,"Colour":"dark_red","Sizes":["b_w","green"],"Tags":["x","y"],"Maker":{"FullName":"M","Founded":"2020-01-01T00:00:00Z","Address":{"City":"Köln","_1stLine":"L"}},"Parts":[{"Serial":9007199254740995,"Weight":0.1234567890123456789,"Colour":"b_w","Parts":${INNER}}]`;
const B =
  '"Id":"b","FirstSeen":null,"Stock":null,"Price":null,"Colour":null,"Sizes":[],"Tags":[],"Maker":null,"Parts":[]';

describe('values of every type (JSON Format, 7)', () => {
  it('are read at every depth, off a wrapped list', async () => {
    expect(await text('/odata/Product')).toBe(
      `{"@odata.context":"~/$metadata#Product","value":[{${A}},{${B}}]}`,
    );
  });

  it('are read by key, and again when nothing has changed', async () => {
    const expected = `{"@odata.context":"~/$metadata#Product/$entity",${A}}`;
    for (let turn = 0; turn < 3; turn += 1) expect(await text("/odata/Product('a')")).toBe(expected);
  });

  it('are chosen by $select (Part 1, 11.2.5.1)', async () => {
    expect(await text('/odata/Product?$select=Id,Colour,Tags&$top=1')).toBe(
      '{"@odata.context":"~/$metadata#Product(Id,Colour,Tags)","value":[{"Id":"a","Colour":"dark_red","Tags":["x","y"]}]}',
    );
    expect(await text("/odata/Product('a')?$select=*")).toBe(
      `{"@odata.context":"~/$metadata#Product(*)/$entity",${A}}`,
    );
  });
});

describe('Int64 and Decimal', () => {
  it('are strings at every depth where the client asks for it (JSON Format, 3.2)', async () => {
    const accept = 'application/json;IEEE754Compatible=true';
    expect(await text("/odata/Product('a')?$select=Id,Stock,Price,Parts", { headers: { accept } })).toBe(
      '{"@odata.context":"~/$metadata#Product(Id,Stock,Price,Parts)/$entity","Id":"a","Stock":"9007199254740993","Price":"12345678901234567890.123","Parts":[{"Serial":"9007199254740995","Weight":"0.1234567890123456789","Colour":"b_w","Parts":[{"Serial":"1","Weight":"1.5","Colour":null,"Parts":[]}]}]}',
    );
  });

  it('are compared exactly (Part 2, 5.1.1.1)', async () => {
    expect(await text('/odata/Product?$select=Id&$filter=Price gt 12345678901234567890.122')).toContain(
      '[{"Id":"a"}]',
    );
    expect(await text('/odata/Product?$select=Id&$filter=Stock eq 9007199254740992')).toContain('[]');
  });
});

describe('a create of an entity with values of every type (Part 1, 11.4.2)', () => {
  it('sends the names and members of the upstream, and numbers with their digits', async () => {
    const answer = await gateway.fetch('/odata/Product', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{${A}}`,
    });
    expect(answer.status).toBe(201);
    expect(answer.text.replaceAll(`${gateway.url}/odata`, '~')).toBe(
      `{"@odata.context":"~/$metadata#Product/$entity",${A}}`,
    );
    expect(String(gateway.upstream.requests.at(-1)?.body)).toBe(
      FULL.replace('"secret":"s",', '').replaceAll(/\n\s*/g, ''),
    );
  });

  it.each([
    ['{"FirstSeen":5}', 'FirstSeen: expected Edm.Date, found a number.'],
    ['{"Maker":1}', 'Maker: expected an object, found a number.'],
    ['{"Tags":"x"}', 'Tags: expected an array, found a string.'],
    ['{"Colour":true}', 'Colour: expected a member of Colour, found a boolean.'],
    [
      '{"Parts":[{"Parts":[{"Weight":[]}]}]}',
      'Parts/0/Parts/0/Weight: expected Edm.Decimal, found an array.',
    ],
  ])('refuses %s', async (body, message) => {
    const before = gateway.upstream.requests.length;
    const headers = { 'content-type': 'application/json' };
    const answer = await gateway.fetch('/odata/Product', { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error.message).toBe(message);
    expect(gateway.upstream.requests.length).toBe(before);
  });
});

describe('parts of values in $select (Part 2, 5.1.3)', () => {
  it.each([
    ['Id,Maker/Address/City', '"Id":"a","Maker":{"Address":{"City":"Köln"}}'],
    ["Id,Tags($filter=$this ne 'x')", '"Id":"a","Tags":["y"]'],
    ['Id,Parts($select=Weight)', '"Id":"a","Parts":[{"Weight":0.1234567890123456789}]'],
  ])('%s', async ($select, members) => {
    const answer = await text(`/odata/Product('a')?$select=${$select}`);
    expect(answer.slice(answer.indexOf(',') + 1)).toContain(members);
  });
});

describe('paths through complex properties (Part 2, 5.1.1.15)', () => {
  it.each([
    ["$filter=Maker/Address/City eq 'Köln'", '[{"Id":"a"}]'],
    ['$filter=Maker/Address/City eq null', '[{"Id":"b"}]'],
    ['$filter=year(Maker/Founded) eq 2020', '[{"Id":"a"}]'],
    ['$orderby=Maker/FullName', '[{"Id":"b"},{"Id":"a"}]'],
    ["$filter=Colour eq 'dark_red'", '[{"Id":"a"}]'],
    ["$filter='b_w' in Sizes", '[{"Id":"a"}]'],
    ["$filter=Tags/any(t:t eq 'x')", '[{"Id":"a"}]'],
    ["$filter=Parts/any(p:p/Colour eq 'b_w' and p/Weight lt 0.2)", '[{"Id":"a"}]'],
    ['$filter=Parts/$count eq 0', '[{"Id":"b"}]'],
    ['$orderby=Colour,Tags/$count', '[{"Id":"b"},{"Id":"a"}]'],
  ])('%s', async (query, rows) => {
    expect(await text(`/odata/Product?$select=Id&${query}`)).toBe(
      `{"@odata.context":"~/$metadata#Product(Id)","value":${rows}}`,
    );
  });

  it.each([
    ["Maker/Nope eq 'x'", 400],
    ["Colour eq 'pink'", 400],
    ["Tags eq ['x']", 200],
  ])('%s is answered with %i', async (filter, status) => {
    expect((await gateway.fetch(`/odata/Product?$filter=${filter}`)).status).toBe(status);
  });
});
