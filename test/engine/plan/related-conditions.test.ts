import { describe, expect, it } from 'vitest';
import { PARTS, serveShop } from './shop.ts';

/** The pages of all makers. */
const ALL_MAKERS = ['', 'm10', 'm20', 'm30', 'm40', 'm50'].map((last) =>
  last === '' ? '/makers?limit=10' : `/makers?limit=10&starting_after=${last}`,
);
const partsOf = (maker: string) => PARTS.filter(({ maker_id }) => maker_id === maker).map(({ id }) => id);
const keysOf = (text: string): readonly unknown[] =>
  (JSON.parse(text) as { value: readonly { Id: unknown }[] }).value.map(({ Id }) => Id);

/** The calls for a query once its parameters have been tried out. */
async function secondAnswer(query: string) {
  const shop = await serveShop();
  const first = await shop.ask(query);
  const second = await shop.ask(query);
  expect(second.text).toBe(first.text);
  return second;
}

describe('a condition on a related entity', () => {
  it('is asked first, and its keys narrow the list', async () => {
    const { status, text, calls } = await secondAnswer("Part?$filter=Maker/Name eq 'Maker 7'&$top=5");
    expect([status, keysOf(text)]).toStrictEqual([200, partsOf('m7').slice(0, 5)]);
    expect(calls).toStrictEqual([...ALL_MAKERS, '/parts?per_page=20&maker_id=m7']);
  });

  it('is asked first by a parameter that narrows its own list', async () => {
    const { text, calls } = await secondAnswer("Part?$filter=Maker/Country eq 'DE'&$top=5");
    expect(keysOf(text)).toStrictEqual([1, 4, 7, 10, 13]);
    expect(calls).toStrictEqual([
      '/makers?limit=10&country=DE',
      '/makers?limit=10&starting_after=m28&country=DE',
      '/parts?per_page=20',
    ]);
  });

  it('is asked first by the key of the related entity', async () => {
    const { text, calls } = await secondAnswer("Part?$filter=Maker/Id eq 'm7' and Maker/Name eq 'Maker 7'");
    expect(keysOf(text)).toStrictEqual(partsOf('m7'));
    expect(calls).toStrictEqual(['/makers/m7', '/parts?per_page=20&maker_id=m7']);
  });

  it('reads nothing more if no related entity meets it', async () => {
    const { text, calls } = await secondAnswer("Part?$filter=Maker/Name eq 'nobody'&$top=5");
    expect([keysOf(text), calls]).toStrictEqual([[], ALL_MAKERS]);
  });

  it.each([
    ['a count', "Part/$count?$filter=Maker/Name eq 'Maker 7'", '5'],
    ['a sum', "Part?$apply=filter(Maker/Name eq 'Maker 7')/aggregate($count as N)", '"N":5'],
  ])('narrows %s as well', async (_, query, result) => {
    const { text, calls } = await secondAnswer(query);
    expect(text).toContain(result);
    expect(calls).toStrictEqual([...ALL_MAKERS, '/parts?per_page=20&maker_id=m7']);
  });

  it('ends the list early while related entities are joined', async () => {
    const { text, calls } = await secondAnswer("Part?$filter=Maker/Country ne 'DE'&$top=5");
    expect(keysOf(text)).toStrictEqual([2, 3, 5, 6, 8]);
    expect(calls.filter((call) => call.startsWith('/parts'))).toStrictEqual(['/parts?per_page=20']);
  });

  it('ends a sorted list early', async () => {
    const { text, calls } = await secondAnswer(
      "Part?$filter=Box/Label eq 'Box 3'&$orderby=MadeAt desc&$top=3",
    );
    expect(keysOf(text)).toStrictEqual([63, 123, 183]);
    expect(calls).toStrictEqual([
      '/parts?per_page=20&sort=-made_at',
      '/boxes',
      '/parts?page=2&per_page=20&sort=-made_at',
      '/parts?page=3&per_page=20&sort=-made_at',
    ]);
  });

  it('is not narrowed if it also holds without a related entity', async () => {
    const { text } = await secondAnswer('Part?$filter=Maker/Name eq null&$select=Id');
    expect(keysOf(text)).toStrictEqual([]);
  });

  it('gains for GraphQL as for OData', async () => {
    const shop = await serveShop();
    const query = '{ parts(where: {maker: {name: {eq: "Maker 7"}}}, take: 5) { id } }';
    await shop.query(query);
    const { answer, calls } = await shop.query(query);
    const parts = partsOf('m7').map((id) => ({ id: String(id) }));
    expect(answer).toStrictEqual({ data: { parts } });
    expect(calls).toStrictEqual([...ALL_MAKERS, '/parts?per_page=20&maker_id=m7']);
  });
});

describe('a condition on one of several related entities', () => {
  const heavy = [...new Set(PARTS.filter(({ weight }) => weight > 97).map(({ maker_id }) => maker_id))];

  it('is asked first, and its keys are read', async () => {
    const { text, calls } = await secondAnswer('Maker?$filter=Parts/any(p:p/Weight gt 97)&$orderby=Id');
    expect([...keysOf(text)].sort()).toStrictEqual([...heavy].sort());
    expect(calls.slice(10).sort()).toStrictEqual(heavy.map((id) => `/makers/${id}`).sort());
  });

  it('ends the list early where the first entities meet it', async () => {
    const { text, calls } = await secondAnswer('Maker?$filter=Parts/any(p:p/Weight gt 20)&$top=3');
    expect(keysOf(text)).toStrictEqual(['m1', 'm2', 'm3']);
    expect(calls.length).toBe(6);
  });

  it('ends the list early for a condition on all of them', async () => {
    const { text, calls } = await secondAnswer('Maker?$filter=Parts/all(p:p/Weight ge 0)&$top=3');
    expect(keysOf(text)).toStrictEqual(['m1', 'm2', 'm3']);
    expect(calls.length).toBe(6);
  });

  it('gains for GraphQL as for OData', async () => {
    const shop = await serveShop();
    const { answer, calls } = await shop.query('{ makers(where: {parts: {some: {id: {eq: "7"}}}}) { id } }');
    expect(answer).toStrictEqual({ data: { makers: [{ id: 'm7' }] } });
    expect(calls).toStrictEqual(['/parts/7', '/makers/m7']);
  });
});
