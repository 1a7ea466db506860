import { describe, expect, it } from 'vitest';
import { type ListDocument, servePaged, type Thing, things } from '../openapi/paged-list.ts';

const SIZE = 500;
const ROWS = 4_000;
const DOCUMENT: ListDocument = {
  parameters: { cursor: { type: 'string' }, limit: { type: 'integer', maximum: SIZE } },
  answer: { next: { type: 'string' }, total: { type: 'integer' } },
};

interface Page {
  readonly items: readonly Thing[];
  readonly next?: string;
  readonly total?: number;
}

/** A list of eight pages by cursors; an attack makes other pages. */
function serveList(attack: (page: Page, cursor: number) => Page, environment = {}) {
  return servePaged(
    DOCUMENT,
    ({ number }, reply) => {
      const cursor = number('cursor', 0);
      const items = things(ROWS).slice(cursor * SIZE, (cursor + 1) * SIZE);
      const isLast = (cursor + 1) * SIZE >= ROWS;
      reply.json(attack({ items, ...(!isLast && { next: String(cursor + 1) }) }, cursor));
    },
    { environment },
  );
}

/** The keys that came; undefined for an answer that broke off, and the status of an error. */
async function outcomeOf(
  list: Awaited<ReturnType<typeof serveList>>,
  format: 'csv' | 'jsonl',
): Promise<readonly string[] | undefined | number> {
  const response = await fetch(`${list.gateway.url}/odata/Thing?$format=${format}`, {
    headers: { 'accept-encoding': 'gzip' },
  });
  if (response.status !== 200) return response.status;
  const text = await response.text().catch(() => undefined);
  const lines = text?.trimEnd().split('\n');
  return format === 'csv'
    ? lines?.slice(1).map((line) => line.split(',')[0] ?? '')
    : lines?.map((line) => String((JSON.parse(line) as { readonly Id: number }).Id));
}

const WHOLE = things(ROWS).map(({ id }) => String(id));

describe.each(['csv', 'jsonl'] as const)('a long list as %s', (format) => {
  it('is whole behind pages without rows', async () => {
    const list = await serveList((page, cursor) =>
      cursor >= 100
        ? { items: things(ROWS).slice(3 * SIZE, 4 * SIZE), next: '4' }
        : cursor === 3
          ? { items: [], next: '100' }
          : page,
    );
    expect(await outcomeOf(list, format)).toStrictEqual(WHOLE);
  });

  it('breaks off where its pages lead back', async () => {
    const list = await serveList((page, cursor) => (cursor === 6 ? { ...page, next: '2' } : page));
    expect(await outcomeOf(list, format)).toBe(undefined);
    expect(list.queries().length).toBeLessThan(20);
  });

  it('breaks off where a page comes again under another cursor', async () => {
    const list = await serveList((page, cursor) =>
      cursor === 6 ? { items: things(ROWS).slice(2 * SIZE, 3 * SIZE), next: '7' } : page,
    );
    expect(await outcomeOf(list, format)).toBe(undefined);
  });

  it('breaks off where pages without rows do not end', async () => {
    const list = await serveList(
      (page, cursor) => (cursor < 4 ? page : { items: [], next: String(cursor + 1) }),
      { PAGES_TIMEOUT_MS: '1500' },
    );
    expect(await outcomeOf(list, format)).toBe(undefined);
  });

  it('has a row of 10 MB whole', async () => {
    const name = 'x'.repeat(10_000_000);
    const list = await serveList((page, cursor) =>
      cursor === 4
        ? { ...page, items: page.items.map((each, index) => (index === 7 ? { ...each, name } : each)) }
        : page,
    );
    expect(await outcomeOf(list, format)).toStrictEqual(WHOLE);
  });

  it.each([
    ['grows', (cursor: number) => (cursor < 4 ? ROWS - SIZE : ROWS)],
    ['is below what came', (cursor: number) => (cursor < 4 ? ROWS : 100)],
  ])('is whole or breaks off where its total %s', async (_, total) => {
    const list = await serveList((page, cursor) => ({ ...page, total: total(cursor) }));
    expect([undefined, WHOLE]).toContainEqual(await outcomeOf(list, format));
  });

  it('breaks off where the list shrinks, and its total says so', async () => {
    const list = await serveList((page, cursor) =>
      cursor === 5 ? { items: page.items, total: 3_000 } : { ...page, total: ROWS },
    );
    expect(await outcomeOf(list, format)).toBe(undefined);
  });
});
