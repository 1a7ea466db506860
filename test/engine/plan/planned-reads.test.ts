import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAKERS, PARTS, serveShop } from './shop.ts';

/** The pages of all makers. */
const ALL_MAKERS = ['m10', 'm20', 'm30', 'm40', 'm50'].reduce(
  (pages, last) => [...pages, `/makers?limit=10&starting_after=${last}`],
  ['/makers?limit=10'],
);

const makers = (...ids: readonly string[]) => ids.map((id) => `/makers/${id}`);

describe('a query over a paged list', () => {
  let shop: Awaited<ReturnType<typeof serveShop>>;
  const stops: (() => unknown)[] = [];
  beforeAll(async () => {
    shop = await serveShop((stop) => stops.push(stop));
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  const keysOf = (text: string): readonly unknown[] =>
    (JSON.parse(text) as { value: readonly { Id: unknown }[] }).value.map(({ Id }) => Id);

  it.each<[string, readonly unknown[], readonly string[]]>([
    ["Maker?$filter=Id eq 'm7'", ['m7'], makers('m7')],
    ["Maker?$filter=Id eq 'm7' and Country eq 'DE'", ['m7'], makers('m7')],
    ["Maker?$filter=Id eq 'm7' and Country eq 'FR'", [], makers('m7')],
    ["Maker?$filter=Id eq 'nobody'", [], makers('nobody')],
    ["Maker?$filter=Id in ('m9','m99','m8')", ['m9', 'm8'], makers('m9', 'm99', 'm8')],
    ["Maker?$filter=Id in ('m9','m8')&$orderby=Id", ['m8', 'm9'], makers('m9', 'm8')],
    ["Maker?$filter=Id in ('m9','m8','m7')&$skip=1&$top=1", ['m8'], makers('m9', 'm8', 'm7')],
    ["Maker/$filter(@f)?@f=Id eq 'm7'", ['m7'], makers('m7')],
    ["Maker?$filter=Id eq 'm7' or Name eq 'Maker 9'", ['m7', 'm9'], ALL_MAKERS],
    ['Part?$filter=Weight gt 90&$top=2', [14, 15], ['/parts?per_page=20']],
    ['Part?$filter=Weight gt 90&$skip=2&$top=1', [29], ['/parts?per_page=20', '/parts?page=2&per_page=20']],
  ])('makes only the calls that answer it: %s', async (query, keys, calls) => {
    const answer = await shop.ask(query);
    expect([answer.status, keysOf(answer.text)]).toStrictEqual([200, keys]);
    expect([...answer.calls].sort()).toStrictEqual([...calls].sort());
  });

  it('counts entities with some keys by reading these', async () => {
    const { text, calls } = await shop.ask("Maker/$count?$filter=Id in ('m7','m99')");
    expect([text, [...calls].sort()]).toStrictEqual(['1', makers('m7', 'm99')]);
  });

  it('aggregates entities with some keys by reading these', async () => {
    const { text, calls } = await shop.ask("Maker?$apply=filter(Id eq 'm7')/aggregate($count as N)");
    expect([JSON.parse(text).value[0].N, calls]).toStrictEqual([1, makers('m7')]);
  });

  it('reads a key that it names twice once', async () => {
    const { text, calls } = await shop.ask("Maker?$filter=Id in ('m7','m7') or Id eq 'm7'&$count=true");
    expect([JSON.parse(text)['@odata.count'], calls]).toStrictEqual([1, makers('m7')]);
  });

  it('has the entity tag of the only entity that it reads', async () => {
    const { headers } = await shop.ask("Maker?$filter=Id eq 'm7'");
    const again = await shop.ask("Maker?$filter=Id eq 'm7'");
    expect(headers.get('etag')).toMatch(/^W\/"/);
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
  });

  it('reads by key for GraphQL as for OData', async () => {
    const { answer, calls } = await shop.query('{ makers(where: {id: {eq: "m7"}}) { name parts { id } } }');
    const parts = PARTS.filter(({ maker_id }) => maker_id === 'm7').map(({ id }) => ({ id: String(id) }));
    expect(answer).toStrictEqual({ data: { makers: [{ name: 'Maker 7', parts }] } });
    expect(calls).toStrictEqual([...makers('m7'), '/parts?per_page=20&maker_id=m7']);
  });

  it('ends early for GraphQL as for OData', async () => {
    const { answer, calls } = await shop.query('{ makers(where: {country: {eq: "FR"}}, take: 2) { id } }');
    expect(answer).toStrictEqual({ data: { makers: [{ id: 'm2' }, { id: 'm5' }] } });
    expect(calls).toStrictEqual(['/makers?limit=10']);
  });
});

describe('an expanded relation', () => {
  it.each<[string, string, number]>([
    ['few of one', 'Part?$filter=Id in (1,2)&$expand=Maker', 2 + 2],
    ['the same one of several', 'Part?$filter=Id in (1,41)&$expand=Maker', 2 + 1],
    ['many of one, of a short list', 'Part?$top=20&$expand=Box', 1 + 1],
    ['many of one, of a list in pages', 'Part?$top=20&$expand=Maker', 1 + 6],
    ['several for one', "Maker('m7')?$expand=Parts", 1 + 1],
    ['several for few', "Maker?$filter=Id in ('m1','m2')&$expand=Parts", 2 + 2],
    ['several for many', 'Maker?$expand=Parts&$top=60', 6 + 10],
    ['a condition on one', "Part?$filter=Id in (1,2) and Maker/Country eq 'DE'", 2 + 2],
    ['a condition on several', "Maker?$filter=Id eq 'm7' and Parts/any(p:p/Weight gt 50)", 1 + 1],
  ])('takes the fewest calls: %s', async (_, query, calls) => {
    const shop = await serveShop();
    const answer = await shop.ask(query);
    expect([answer.status, answer.calls.length]).toStrictEqual([200, calls]);
  });

  it.each<[string, string, number]>([
    ['one', '{ parts(take: 20) { box { label } } }', 1 + 1],
    ['several', '{ makers { parts { id } } }', 6 + 10],
    ['one of few', '{ parts(where: {id: {in: ["1", "2"]}}) { maker { name } } }', 2 + 2],
  ])('takes the fewest calls of GraphQL: %s', async (_, query, calls) => {
    const shop = await serveShop();
    const found = await shop.query(query);
    expect(found.answer).not.toHaveProperty('errors');
    expect(found.calls.length).toBe(calls);
  });

  it('has the same entities whichever calls are made', async () => {
    const shop = await serveShop();
    const query = 'Maker?$select=Id&$expand=Parts($select=Id;$orderby=Id)';
    const whole = JSON.parse((await shop.ask(`${query}&$top=60`)).text).value as readonly { Id: string }[];
    const some = JSON.parse((await shop.ask(`${query}&$filter=Id in ('m3','m50')`)).text).value;
    expect(some).toStrictEqual(whole.filter(({ Id }) => Id === 'm3' || Id === 'm50'));
    expect(whole.length).toBe(MAKERS.length);
  });
});
