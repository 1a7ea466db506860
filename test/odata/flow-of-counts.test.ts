import { describe, expect, it } from 'vitest';
import { type ListDocument, servePaged, things } from '../openapi/paged-list.ts';

const integer = { type: 'integer' };
const SIZE = 500;
const ROWS = 6_000;
const DOCUMENT: ListDocument = {
  parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: SIZE } },
  answer: { total: integer },
};

interface Served {
  /** The total on a page. */
  readonly total?: (page: number) => number | undefined;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A list of 6,000 things that states its length. */
function serveList({ total = () => ROWS, rows = ROWS, environment = {} }: Served = {}) {
  return servePaged(
    DOCUMENT,
    ({ number }, reply) => {
      const page = number('page', 1);
      const items = things(rows).slice((page - 1) * SIZE, page * SIZE);
      reply.json({ items, total: total(page) });
    },
    { environment },
  );
}

interface Answer {
  readonly status: number;
  /** The answer came in chunks. */
  readonly flows: boolean;
  /** The number of entities, and how many came; undefined for an answer that broke off. */
  readonly outcome: readonly [number | undefined, number] | undefined;
}

async function read(list: Awaited<ReturnType<typeof serveList>>, path: string): Promise<Answer> {
  const response = await fetch(`${list.gateway.url}/odata/${path}`);
  const text = await response.text().catch(() => '');
  const flows = response.headers.get('transfer-encoding') === 'chunked';
  let outcome: Answer['outcome'];
  try {
    const { '@odata.count': count, value = [] } = JSON.parse(text) as {
      readonly '@odata.count'?: number;
      readonly value?: readonly object[];
    };
    outcome = [count, value.length];
  } catch {
    outcome = undefined;
  }
  return { status: response.status, flows, outcome };
}

const PATH = 'Thing?$count=true&$top=5500';

describe('a long list with its number of entities', () => {
  it('is passed on if its answers have the number', async () => {
    const list = await serveList();
    expect(await read(list, PATH)).toStrictEqual({ status: 200, flows: true, outcome: [ROWS, 5_500] });
    expect(await read(list, 'Thing?$count=true&$skip=100&$top=9000')).toStrictEqual({
      status: 200,
      flows: true,
      outcome: [ROWS, ROWS - 100],
    });
  });

  it('is passed on beyond what may be held', async () => {
    const list = await serveList({ environment: { PAGES_ROWS: '2000' } });
    expect(await read(list, PATH)).toStrictEqual({ status: 200, flows: true, outcome: [ROWS, 5_500] });
  });

  it('is held if its answers have none', async () => {
    const list = await serveList({ total: () => undefined });
    expect(await read(list, PATH)).toStrictEqual({ status: 200, flows: false, outcome: [ROWS, 5_500] });
    const bounded = await serveList({ total: () => undefined, environment: { PAGES_ROWS: '2000' } });
    expect(await read(bounded, PATH)).toMatchObject({ status: 502, flows: false });
  });

  it('is held under conditions, which the API has not applied', async () => {
    const list = await serveList();
    expect(await read(list, 'Thing?$count=true&$filter=Id mod 2 eq 0')).toStrictEqual({
      status: 200,
      flows: false,
      outcome: [ROWS / 2, ROWS / 2],
    });
  });

  it.each([
    ['grows', (page: number) => (page < 5 ? ROWS - SIZE : ROWS)],
    ['is too high', () => ROWS + 1],
  ])('breaks off if the number %s', async (_, total) => {
    const list = await serveList({ total });
    expect(await read(list, 'Thing?$count=true&$top=9000')).toMatchObject({ outcome: undefined });
  });

  it('breaks off if the number shrinks', async () => {
    const list = await serveList({ total: (page) => (page < 5 ? ROWS : ROWS - 700), rows: ROWS - 700 });
    expect(await read(list, 'Thing?$count=true&$top=9000')).toMatchObject({ outcome: undefined });
  });
});
