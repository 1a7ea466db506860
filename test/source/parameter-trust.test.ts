import { describe, expect, it } from 'vitest';
import { ITEMS, type Item, serveTried, type Tried } from './tried-parameters.ts';

const TEXT = '{ type: string }';
const STATUS = '{ type: string, enum: [open, done, lost] }';

function equal(property: keyof Item, more: Partial<Tried> = {}): Tried {
  return {
    name: property,
    schema: property === 'status' ? STATUS : TEXT,
    does: (rows, value) => rows.filter((row) => String(row[property]) === value),
    ...more,
  };
}

const WHOLE = 12;

const TIME = '{ type: string, format: date-time }';

function since(timeOf: (item: Item) => string): Tried {
  return { name: 'since', schema: TIME, does: (rows, value) => rows.filter((row) => timeOf(row) >= value) };
}

function atLeast(property: 'size' | 'weight'): Tried['does'] {
  return (rows, value) => rows.filter((row) => row[property] >= Number(value));
}

function keysOf(body: unknown): readonly number[] {
  const { value } = body as { readonly value: readonly { readonly Id: number }[] };
  return value.map(({ Id }) => Id);
}

function idsWhere(isWanted: (item: Item) => boolean): readonly number[] {
  return ITEMS.filter(isWanted).map(({ id }) => id);
}

/** Asks twice: the first time a parameter may be tried out. Returns the calls of the second time; both must be right. */
async function callsOf(
  parameters: readonly Tried[],
  query: string,
  isWanted: (item: Item) => boolean,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const api = await serveTried(parameters, environment);
  const answers = [await api.ask(query), await api.ask(query)];
  const expected = idsWhere(isWanted);
  expect(answers.map(({ body }) => keysOf(body))).toStrictEqual([expected, expected]);
  return answers[1]?.calls ?? [];
}

const CODE = "Item?$filter=Code eq 'K-005'";
const isCode = ({ code }: Item): boolean => code === 'K-005';
const DONE = "Item?$filter=Status eq 'done'";
const isDone = ({ status }: Item): boolean => status === 'done';

describe('a parameter that does what it is called', () => {
  it('narrows the list once it was tried out', async () => {
    expect(await callsOf([equal('code')], CODE, isCode)).toStrictEqual(['GET /items?code=K-005']);
  });

  it('is tried out with a value of the enumeration for each', async () => {
    const calls = await callsOf([equal('status')], DONE, isDone);
    expect(calls).toStrictEqual([
      'GET /items?status=done',
      ...[2, 3, 4].map((page) => `GET /items?page=${page}&status=done`),
    ]);
  });

  it('is not used with PUSH_DOWN=declared', async () => {
    const calls = await callsOf([equal('code')], CODE, isCode, { PUSH_DOWN: 'declared' });
    expect(calls).toHaveLength(WHOLE);
  });

  it('is not used for a minute after a change', async () => {
    const api = await serveTried([equal('code')]);
    await api.ask(CODE);
    expect(await api.post('Item', { Code: 'K-005' })).toBe(201);
    const { calls } = await api.ask(CODE);
    expect(calls).toHaveLength(WHOLE);
  });
});

/** Bounds and elements, with the query that each one answers by one call once it was tried out. */
const MORE: readonly (readonly [string, readonly Tried[], string, (item: Item) => boolean])[] = [
  [
    'a bound without the name of a property',
    [since((item) => item.changed_at)],
    'Item?$filter=ChangedAt ge 2026-03-10T12:00:00Z',
    ({ changed_at }) => changed_at >= '2026-03-10T12:00:00.000Z',
  ],
  [
    'a bound of times that excludes what the document includes',
    [
      {
        name: 'made_after',
        description: 'At or after this time.',
        schema: TIME,
        does: (rows, value) => rows.filter(({ made_at }) => made_at > value),
      },
    ],
    'Item?$filter=MadeAt ge 2026-01-10T12:00:00Z',
    ({ made_at }) => made_at >= '2026-01-10T12:00:00.000Z',
  ],
  [
    'a bound of an API that takes no time with an offset',
    [
      {
        name: 'made_after',
        schema: TIME,
        refuses: (value) => (/[Z+]/.test(value) ? 500 : undefined),
        does: (rows, value) => rows.filter(({ made_at }) => made_at > `${value}Z`),
      },
    ],
    'Item?$filter=MadeAt ge 2026-01-10T12:00:00Z',
    ({ made_at }) => made_at >= '2026-01-10T12:00:00.000Z',
  ],
  [
    'a bound of times that is a date, and excludes that day',
    [
      {
        name: 'made_before',
        schema: '{ type: string, format: date }',
        does: (rows, value) => rows.filter(({ made_at }) => made_at < value),
      },
    ],
    'Item?$filter=MadeAt lt 2026-01-01T02:00:00Z',
    ({ made_at }) => made_at < '2026-01-01T02:00:00.000Z',
  ],
  [
    'a bound in another language',
    [{ name: 'size_desde', schema: '{ type: integer }', does: atLeast('size') }],
    'Item?$filter=Size ge 48',
    ({ size }) => size >= 48,
  ],
  [
    'an element of an array',
    [{ name: 'tag', schema: TEXT, does: (rows, value) => rows.filter(({ tags }) => tags.includes(value)) }],
    "Item?$filter=Tags/any(t:t eq 't7')",
    ({ tags }) => tags.includes('t7'),
  ],
  [
    'an element of an array, by a parameter of which all elements must be there',
    [
      {
        name: 'tags',
        schema: '{ type: array, items: { type: string } }',
        does: (rows, value) =>
          rows.filter(({ tags }) => value.split(',').every((each) => tags.includes(each))),
      },
    ],
    "Item?$filter=Tags/any(t:t eq 't7')",
    ({ tags }) => tags.includes('t7'),
  ],
  [
    'two parameters, which one request tries out',
    [equal('status'), equal('flag', { schema: '{ type: boolean }' })],
    "Item?$filter=Status eq 'done' and Flag eq true",
    ({ status, flag }) => status === 'done' && flag,
  ],
];

describe('a condition is narrowed by', () => {
  it.each(MORE)('%s', async (_, parameters, query, isWanted) => {
    const calls = await callsOf(parameters, query, isWanted);
    expect(calls.every((call) => parameters.every(({ name }) => call.includes(`${name}=`)))).toBe(true);
    expect(calls.length).toBeLessThanOrEqual(2);
  });
});

/** Each does something else than its name says: rows are right all the same, by all pages of the list. */
const LIARS: readonly (readonly [string, Tried, string, (item: Item) => boolean])[] = [
  ['filters by another property', { ...equal('twin'), name: 'code' }, CODE, isCode],
  ['is ignored', equal('code', { does: (rows) => rows }), CODE, isCode],
  [
    'folds the value and not the data',
    equal('twin', { does: (rows, value) => rows.filter(({ twin }) => twin === value.toLowerCase()) }),
    "Item?$filter=Twin eq 'Left'",
    ({ twin }) => twin === 'Left',
  ],
  [
    'limits what comes back',
    equal('status', { does: (rows, value) => rows.filter(({ status }) => status === value).slice(-5) }),
    DONE,
    isDone,
  ],
  [
    'finds the first rows only',
    equal('status', { does: (rows, value) => rows.filter(({ status }) => status === value).slice(0, 10) }),
    DONE,
    isDone,
  ],
  [
    'does not know the newest rows',
    equal('status', {
      does: (rows, value) => rows.slice(0, -10).filter(({ status }) => status === value),
    }),
    DONE,
    isDone,
  ],
  ['filters within pages', equal('status', { withinPages: true }), DONE, isDone],
  [
    'is a bound of another time',
    since(({ changed_at }) => changed_at),
    'Item?$filter=MadeAt ge 2026-01-09T12:00:00Z',
    ({ made_at }) => made_at >= '2026-01-09T12:00:00.000Z',
  ],
  [
    'is a date that bounds another time',
    {
      name: 'made_since',
      schema: '{ type: string, format: date }',
      does: (rows, value) => rows.filter(({ changed_at }) => changed_at >= value),
    },
    'Item?$filter=MadeAt ge 2026-01-09T12:00:00Z',
    ({ made_at }) => made_at >= '2026-01-09T12:00:00.000Z',
  ],
  [
    'wants one of several elements to be the only one',
    { name: 'tags', schema: TEXT, does: (rows, value) => rows.filter(({ tags }) => tags.join() === value) },
    "Item?$filter=Tags/any(t:t eq 't7')",
    ({ tags }) => tags.includes('t7'),
  ],
  [
    'refuses some values',
    equal('code', { refuses: (value) => (value.startsWith('K') ? 400 : undefined) }),
    CODE,
    isCode,
  ],
  [
    'knows no value of the enumeration but one',
    equal('status', {
      does: (rows, value) => rows.filter(({ status }) => status === value && value === 'open'),
    }),
    DONE,
    isDone,
  ],
  [
    'is a bound that excludes what the document includes',
    {
      name: 'min_size',
      description: 'At least this size.',
      schema: '{ type: integer }',
      does: (rows, value) => rows.filter(({ size }) => size > Number(value)),
    },
    'Item?$filter=Size ge 40',
    ({ size }) => size >= 40,
  ],
];

describe('a parameter that lies', () => {
  it.each(LIARS)('and %s is not used', async (_, parameter, query, isWanted) => {
    const calls = await callsOf([parameter], query, isWanted);
    expect(calls.filter((call) => call.includes(`${parameter.name}=`))).toStrictEqual([]);
  });

  it('and takes a prefix brings more rows, which are left out', async () => {
    const prefix = equal('code', {
      does: (rows, value) => rows.filter(({ code }) => code.startsWith(value)),
    });
    expect(await callsOf([prefix], CODE, isCode)).toStrictEqual(['GET /items?code=K-005']);
  });

  it('only after it was tried out is contradicted by pages that do not add up', async () => {
    let isLying = false;
    const ignored = equal('status', {
      does: (rows, value) => (isLying ? rows : rows.filter(({ status }) => status === value)),
    });
    const within = equal('status', {
      withinPages: true,
      does: (rows, value) => (isLying ? rows.filter(({ status }) => status === value) : rows),
    });
    const api = await serveTried([ignored, within]);
    await api.ask(DONE);
    isLying = true;
    expect(keysOf((await api.ask(DONE)).body)).toStrictEqual(idsWhere(isDone));
    expect((await api.ask(DONE)).calls.filter((call) => call.includes('status='))).toStrictEqual([]);
  });
});

describe('a parameter that is being tried out', () => {
  it.each([400, 404, 422, 429, 500, 503])(
    'is not used if the API answers %i, and the list is read',
    async (status) => {
      let isFailing = true;
      const api = await serveTried([equal('code', { refuses: () => (isFailing ? status : undefined) })]);
      expect(keysOf((await api.ask(CODE)).body)).toStrictEqual(idsWhere(isCode));
      isFailing = false;
      const { body, calls } = await api.ask(CODE);
      expect([keysOf(body), calls.join().includes('code=')]).toStrictEqual([idsWhere(isCode), false]);
    },
  );

  it('has proved nothing for a client that leaves', async () => {
    let isStalling = true;
    const leaving = new AbortController();
    const stalls = (): boolean => {
      if (isStalling) leaving.abort();
      return isStalling;
    };
    const api = await serveTried([equal('code', { stalls })]);
    await expect(api.ask(CODE, leaving.signal)).rejects.toThrow('abort');
    isStalling = false;
    expect(keysOf((await api.ask(CODE)).body)).toStrictEqual(idsWhere(isCode));
    expect((await api.ask(CODE)).calls).toStrictEqual(['GET /items?code=K-005']);
  });
});

describe('a parameter of a list whose end no call reads', () => {
  const ask = async (parameters: readonly Tried[]) => {
    const api = await serveTried(parameters, {}, { byCursor: true });
    const answers = [await api.ask(DONE), await api.ask(DONE)];
    expect(answers.map(({ body }) => keysOf(body))).toStrictEqual([idsWhere(isDone), idsWhere(isDone)]);
    return answers[1]?.calls ?? [];
  };
  const first =
    (most: number): Tried['does'] =>
    (rows, value) =>
      rows.filter(({ status }) => status === value).slice(0, most);

  it('narrows once pages behind the first one have shown it', async () => {
    expect(await ask([equal('status')])).toHaveLength(4);
  });

  it('is not tried with the whole list again at once if that decided nothing', async () => {
    let isFailing = false;
    const code = equal('code', { refuses: () => (isFailing ? 422 : undefined) });
    const api = await serveTried([code], {}, { byCursor: true });
    await api.ask(CODE);
    isFailing = true;
    const reads = [await api.ask('Item?$orderby=Twin'), await api.ask('Item?$orderby=Twin')];
    const tries = reads.map(({ calls }) => calls.filter((call) => call.includes('code=')).length);
    expect(tries).toStrictEqual([1, 0]);
  });

  it('is not used if it finds the first rows only', async () => {
    expect((await ask([equal('status', { does: first(10) })])).join()).not.toContain('status=');
  });

  it('is not used if that shows in another order only', async () => {
    const sort: Tried = {
      name: 'sort',
      schema: '{ type: string, enum: [id, "-id"] }',
      does: (rows, value) => rows.toSorted((a, b) => (value === 'id' ? a.id - b.id : b.id - a.id)),
    };
    expect((await ask([equal('status', { does: first(60) }), sort])).join()).not.toContain('status=');
  });
});

describe('a value that may mean something else', () => {
  it.each([
    ["Item?$filter=Code eq 'all'", 'all'],
    ["Item?$filter=Code eq '*'", '*'],
    ["Item?$filter=Code eq 'a,b'", 'a,b'],
    ["Item?$filter=Code eq '-K'", '-K'],
    ["Item?$filter=Code eq 'me'", 'me'],
    ["Item?$filter=Code eq ''", ''],
    ['Item?$filter=Code eq null', ''],
    ["Item?$filter=not (Code eq 'K-005') and Id lt 3", 'K-005'],
    ["Item?$filter=Code ne 'K-005' and Id lt 3", 'K-005'],
    ["Item?$filter=(Code eq 'K-005' or Id eq 3)", 'K-005'],
  ])('%s is never sent', async (query) => {
    const api = await serveTried([equal('code')]);
    await api.ask(CODE);
    const { calls, status } = await api.ask(query);
    expect([status, calls.filter((call) => call.includes('code='))]).toStrictEqual([200, []]);
  });
});

describe('an order', () => {
  const sort = (does: Tried['does'], more: Partial<Tried> = {}): Tried => ({
    name: 'sort',
    schema: '{ type: string, enum: [weight, "-weight"] }',
    does,
    ...more,
  });
  const heaviest = ITEMS.toSorted((a, b) => b.weight - a.weight).slice(0, 3);
  const sorted = (rows: readonly Item[], value: string): readonly Item[] =>
    rows.toSorted((a, b) => (value.startsWith('-') ? b.weight - a.weight : a.weight - b.weight));
  const QUERY = 'Item?$orderby=Weight desc&$top=3';

  it('is used once both directions were tried out', async () => {
    const api = await serveTried([sort(sorted)]);
    await api.ask(QUERY);
    const { body, calls } = await api.ask(QUERY);
    expect([keysOf(body), calls]).toStrictEqual([heaviest.map(({ id }) => id), ['GET /items?sort=-weight']]);
  });

  it('from the least on is used if no row at its end lacks the property', async () => {
    const api = await serveTried([sort(sorted)]);
    const lightest = ITEMS.toSorted((a, b) => a.weight - b.weight).slice(0, 3);
    await api.ask('Item?$orderby=Weight&$top=3');
    const { body, calls } = await api.ask('Item?$orderby=Weight&$top=3');
    expect([keysOf(body), calls]).toStrictEqual([lightest.map(({ id }) => id), ['GET /items?sort=weight']]);
  });

  it.each<[string, Tried]>([
    ['is ignored', sort((rows) => rows)],
    ['is applied within pages', sort(sorted, { withinPages: true })],
    ['is of another property', sort((rows) => rows.toSorted((a, b) => a.size - b.size))],
    ['has one direction', sort((rows) => sorted(rows, 'weight'))],
  ])('that %s is not used', async (_, parameter) => {
    const api = await serveTried([parameter]);
    await api.ask(QUERY);
    const { body, calls } = await api.ask(QUERY);
    expect(keysOf(body)).toStrictEqual(heaviest.map(({ id }) => id));
    expect(calls.filter((call) => call.includes('sort='))).toStrictEqual([]);
  });
});

describe('a total', () => {
  const QUERY = "Item/$count?$filter=Status eq 'done'";
  const done = idsWhere(isDone).length;

  it('of a narrowed list counts, once the totals of all values have added up', async () => {
    const api = await serveTried([equal('status')]);
    await api.ask(DONE);
    await api.ask(QUERY);
    const { body, calls } = await api.ask(QUERY);
    expect([body, calls]).toStrictEqual([String(done), ['GET /items?status=done']]);
  });

  it('counts no more once an answer has other rows, and that is counted', async () => {
    let isPrefix = false;
    const lax = equal('status', {
      does: (rows, value) => rows.filter(({ status }) => status === value || (isPrefix && status === 'lost')),
    });
    const api = await serveTried([lax]);
    await api.ask(DONE);
    await api.ask(QUERY);
    expect((await api.ask(QUERY)).calls).toStrictEqual(['GET /items?status=done']);
    isPrefix = true;
    expect((await api.ask(DONE)).calls.length).toBeGreaterThan(1);
    const { body, calls } = await api.ask(QUERY);
    expect([body, calls.length > 1]).toStrictEqual([String(done), true]);
    expect(await api.metrics()).toContain('duogate_parameter_contradictions_total{source="Test"} 1\n');
  });

  it('that is not that of its rows is not used', async () => {
    const api = await serveTried([equal('status')], {}, { shift: 1 });
    await api.ask(DONE);
    await api.ask(QUERY);
    expect((await api.ask(QUERY)).body).toBe(String(done));
  });
});
