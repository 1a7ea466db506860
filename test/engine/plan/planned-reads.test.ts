import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAKERS, PARTS, serveShop } from './shop.ts';

/** The pages of all makers. */
const ALL_MAKERS = ['', 'm10', 'm20', 'm30', 'm40', 'm50'].map((last) =>
  last === '' ? '/makers?limit=10' : `/makers?limit=10&starting_after=${last}`,
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
    ["Maker?$filter=Id in ('m9','m8','m7')&$top=3", ['m9', 'm8', 'm7'], makers('m9', 'm8', 'm7')],
    // The places of a list that no option orders are those of the API.
    ["Maker?$filter=Id in ('m9','m8','m7')&$skip=1&$top=1", ['m8'], ['/makers?limit=10']],
    ["Maker?$filter=Id in ('m9','m7')&$orderby=Name&$top=1", ['m7'], makers('m7', 'm9')],
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
    const { answer, calls } = await shop.query('{ parts(where: {weight: {gt: 90}}, take: 2) { id } }');
    expect(answer).toStrictEqual({ data: { parts: [{ id: '14' }, { id: '15' }] } });
    expect(calls).toStrictEqual(['/parts?per_page=20']);
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

describe('parameters that were tried out', () => {
  const COUNTRY = "Maker?$filter=Country eq 'FR'&$select=Id";
  const french = MAKERS.filter(({ country }) => country === 'FR').map(({ id }) => ({ Id: id }));

  it('narrow the list from then on', async () => {
    const shop = await serveShop();
    const first = await shop.ask(COUNTRY);
    const second = await shop.ask(COUNTRY);
    expect([JSON.parse(first.text).value, JSON.parse(second.text).value]).toStrictEqual([french, french]);
    expect(second.calls).toStrictEqual([
      '/makers?limit=10&country=FR',
      '/makers?limit=10&starting_after=m29&country=FR',
    ]);
    expect(second.headers.get('etag')).toBeNull();
  });

  it.each<[string, string, readonly unknown[], readonly string[]]>([
    ['ids', 'Part?$filter=Id in (5,6,7,8,9)&$select=Id', [5, 6, 7, 8, 9], ['ids=5,6,7,8,9']],
    ['an order', 'Part?$orderby=MadeAt desc&$top=2&$select=Id', [134, 67], ['sort=-made_at']],
    ['a value', "Part?$filter=MakerId eq 'm3'&$select=Id", [3, 43, 83, 123, 163], ['maker_id=m3']],
  ])('answer with one call: %s', async (_, query, keys, calls) => {
    const shop = await serveShop();
    const expected = keys.map((Id) => ({ Id }));
    expect(JSON.parse((await shop.ask(query)).text).value).toStrictEqual(expected);
    const second = await shop.ask(query);
    expect(JSON.parse(second.text).value).toStrictEqual(expected);
    expect(second.calls.map((target) => target.split('?')[1]?.replace(/&?per_page=20&?/, ''))).toStrictEqual(
      calls,
    );
  });

  it('end a connection early in an order that the API has', async () => {
    const shop = await serveShop();
    const page = async () => {
      const { answer, calls } = await shop.query(
        '{ partsConnection(first: 2, order: {madeAt: DESC}) { nodes { id } pageInfo { hasNextPage } } }',
      );
      return { ...(answer as { data: { partsConnection: object } }).data.partsConnection, calls };
    };
    const newest = ['134', '67'].map((id) => ({ id }));
    expect(await page()).toMatchObject({ nodes: newest });
    expect(await page()).toMatchObject({
      nodes: newest,
      pageInfo: { hasNextPage: true },
      calls: ['/parts?per_page=20&sort=-made_at'],
    });
  });

  it('do not replace what an owner fixes', async () => {
    const shop = await serveShop();
    await shop.ask("Part?$filter=MakerId eq 'm8'&$select=Id");
    const { text, calls } = await shop.ask("Maker('m7')/Parts?$filter=MakerId eq 'm8'&$select=Id");
    expect(JSON.parse(text).value).toStrictEqual([]);
    expect(calls).toContain('/parts?per_page=20&maker_id=m7');
    expect(calls.join()).not.toContain('maker_id=m8');
  });

  it('read an id by its key if it does not come back', async () => {
    const shop = await serveShop();
    const query = 'Part?$filter=Id in (5,6,999)&$select=Id';
    await shop.ask(query);
    const { text, calls } = await shop.ask(query);
    expect(JSON.parse(text).value).toStrictEqual([{ Id: 5 }, { Id: 6 }]);
    expect(calls).toStrictEqual(['/parts?per_page=20&ids=5,6,999', '/parts/999']);
  });

  it('are left out after a refusal: the whole list is read', async () => {
    const shop = await serveShop();
    await shop.ask(COUNTRY);
    shop.refuse((target) => target.includes('country='), 422);
    const { status, text, calls } = await shop.ask(COUNTRY);
    expect([status, JSON.parse(text).value]).toStrictEqual([200, french]);
    expect(calls.slice(0, 2)).toStrictEqual(['/makers?limit=10&country=FR', '/makers?limit=10']);
  });

  it.each([401, 403])('are not tried again without them after %i', async (status) => {
    const shop = await serveShop();
    await shop.ask(COUNTRY);
    shop.refuse((target) => target.includes('country='), status);
    expect((await shop.ask(COUNTRY)).calls).toStrictEqual(['/makers?limit=10&country=FR']);
  });

  it('are not used for an answer that is not in the order that was asked for', async () => {
    const shop = await serveShop();
    const query = 'Part?$orderby=MadeAt desc&$top=2&$select=Id';
    await shop.ask(query);
    shop.answerAs((target) => (target.includes('sort=') ? target.replace('sort=', 'none=') : target));
    const { text, calls } = await shop.ask(query);
    expect(JSON.parse(text).value).toStrictEqual([{ Id: 134 }, { Id: 67 }]);
    expect(calls.length).toBe(1 + 10);
    // What was contradicted is switched off.
    expect((await shop.ask(query)).calls.length).toBe(10);
  });

  it('are not used for a while after a change through the gateway', async () => {
    const shop = await serveShop();
    await shop.ask(COUNTRY);
    expect((await shop.ask(COUNTRY)).calls.length).toBe(2);
    await shop.remove("Maker('m1')");
    shop.calls();
    expect((await shop.ask(COUNTRY)).calls).toStrictEqual(ALL_MAKERS);
  });
});
