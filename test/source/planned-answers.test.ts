import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRATES, type Crate, KEEPERS, type Keeper, serveDepot } from './depot.ts';

type Depot = Awaited<ReturnType<typeof serveDepot>>;

/** A condition with the same in plain JavaScript, where null is unknown. */
interface Condition {
  readonly text: string;
  readonly test: (crate: Crate) => boolean | null;
  /** The condition for GraphQL, where it has one. */
  readonly where?: string;
}

const COLUMNS = {
  id: 'Id',
  keeper_id: 'KeeperId',
  kind: 'Kind',
  code: 'Code',
  note: 'Note',
  size: 'Size',
  weight: 'Weight',
  price: 'Price',
  debt: 'Debt',
  sealed: 'Sealed',
  batch: 'Batch',
  made_at: 'MadeAt',
} as const;
type Column = keyof typeof COLUMNS;

const keeperOf = ({ keeper_id }: Crate): Keeper | undefined => KEEPERS.find(({ id }) => id === keeper_id);

const OPERATORS: Readonly<Record<string, (a: string | number, b: string | number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  ge: (a, b) => a >= b,
  gt: (a, b) => a > b,
  le: (a, b) => a <= b,
  lt: (a, b) => a < b,
};

const GRAPH_OPERATORS: Readonly<Record<string, string>> = { ge: 'gte', le: 'lte' };

function literal(value: unknown, column: Column): string {
  return typeof value === 'string' && column !== 'batch' && column !== 'made_at'
    ? `'${value.replaceAll("'", "''")}'`
    : String(value);
}

function comparable(value: unknown): string | number | null {
  return value === null || value === undefined
    ? null
    : typeof value === 'number'
      ? value
      : String(value).toLowerCase();
}

function graphName(column: Column): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function compared(column: Column, operator: string, value: unknown): Condition {
  const text = `${COLUMNS[column]} ${operator} ${encodeURIComponent(literal(value, column))}`;
  const test = (crate: Crate): boolean => {
    const [own, other] = [comparable(crate[column]), comparable(value)];
    if (own === null || other === null)
      return operator === 'eq' ? own === other : operator === 'ne' && own !== other;
    return OPERATORS[operator]?.(own, other) ?? false;
  };
  const where = `{${graphName(column)}: {${GRAPH_OPERATORS[operator] ?? operator}: ${JSON.stringify(value)}}}`;
  return value === null || operator === 'ne' ? { text, test } : { text, test, where };
}

const valueIn = (column: Column) => fc.constantFrom(...new Set(CRATES.map((crate) => crate[column] ?? null)));

const EQUATABLE: readonly Column[] = [
  'id',
  'keeper_id',
  'kind',
  'code',
  'note',
  'size',
  'price',
  'debt',
  'sealed',
  'batch',
];
const ORDERED: readonly Column[] = ['id', 'size', 'weight', 'price', 'debt', 'made_at'];

const equal = fc
  .constantFrom(...EQUATABLE)
  .chain((column) => valueIn(column).map((value) => compared(column, 'eq', value)));
const bound = fc
  .tuple(fc.constantFrom(...ORDERED), fc.constantFrom('ge', 'gt', 'le', 'lt'))
  .chain(([column, operator]) =>
    valueIn(column)
      .filter((value) => value !== null)
      .map((value) => compared(column, operator, value)),
  );
const different = fc
  .constantFrom<Column>('kind', 'size', 'keeper_id', 'debt')
  .chain((column) => valueIn(column).map((value) => compared(column, 'ne', value)));
const among = fc.constantFrom<Column>('id', 'keeper_id', 'kind', 'code', 'size').chain((column) =>
  fc.uniqueArray(valueIn(column), { minLength: 1, maxLength: 4 }).map((values): Condition => {
    const known = values.filter((value) => value !== null);
    const any = known.length === 0 ? [0] : known;
    return {
      text: `${COLUMNS[column]} in (${any.map((value) => encodeURIComponent(literal(value, column))).join()})`,
      test: (crate) => any.some((value) => value === crate[column]),
      where: `{${graphName(column)}: {in: ${JSON.stringify(any)}}}`,
    };
  }),
);
const upperBatch = valueIn('batch').map((value) => compared('batch', 'eq', String(value).toUpperCase()));
const related = fc.oneof(
  fc.constantFrom('DE', 'FR').map(
    (country): Condition => ({
      text: `Keeper/Country eq '${country}'`,
      test: (crate) => keeperOf(crate)?.country === country,
      where: `{keeper: {country: {eq: "${country}"}}}`,
    }),
  ),
  fc.constantFrom(0, 4).map(
    (size): Condition => ({
      text: `Keeper/Crates/any(c: c/Size eq ${size} and c/Kind eq 'bag')`,
      test: (crate) => {
        const keeper = keeperOf(crate);
        return (
          keeper !== undefined &&
          CRATES.some((each) => each.keeper_id === keeper.id && each.size === size && each.kind === 'bag')
        );
      },
    }),
  ),
);

const term = fc.oneof(
  { weight: 5, arbitrary: equal },
  { weight: 3, arbitrary: bound },
  { weight: 3, arbitrary: among },
  { weight: 1, arbitrary: different },
  { weight: 1, arbitrary: upperBatch },
  { weight: 1, arbitrary: related },
);

function both(one: Condition, other: Condition): Condition {
  const where = one.where && other.where && `{and: [${one.where}, ${other.where}]}`;
  return {
    text: `${one.text} and ${other.text}`,
    test: (crate) => one.test(crate) === true && other.test(crate) === true,
    ...(where && { where }),
  };
}

function either(one: Condition, other: Condition): Condition {
  const where = one.where && other.where && `{or: [${one.where}, ${other.where}]}`;
  return {
    text: `(${one.text} or ${other.text})`,
    test: (crate) => one.test(crate) === true || other.test(crate) === true,
    ...(where && { where }),
  };
}

const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: term },
  { weight: 3, arbitrary: fc.tuple(term, term).map(([one, other]) => both(one, other)) },
  { weight: 2, arbitrary: fc.tuple(term, term).map(([one, other]) => either(one, other)) },
  {
    weight: 1,
    arbitrary: fc.tuple(term, term, term).map(([a, b, c]) => both(either(a, b), c)),
  },
);

const ORDERS = [
  '',
  'Id',
  'Size',
  'Size desc',
  'MadeAt desc',
  'MadeAt',
  'Debt desc',
  'Debt',
  'Size desc,Id desc',
];

/** A request, with its identifiers or its number as plain JavaScript finds them. */
interface Question {
  readonly path: string;
  /** False where entities may come in any order. */
  readonly isInOrder: boolean;
  readonly body?: object;
  /** Of the JSON or text of the answer; compared with `expected`. */
  readonly read: (text: string) => unknown;
  readonly expected: () => unknown;
}

interface Listed {
  readonly value: readonly { readonly Id: number; readonly [name: string]: unknown }[];
}

const idsOf = (text: string): readonly number[] => (JSON.parse(text) as Listed).value.map(({ Id }) => Id);
const whole = (found: Condition): readonly number[] =>
  CRATES.filter((crate) => found.test(crate) === true).map(({ id }) => id);

function orderedBy(ids: readonly number[], order: string): readonly number[] {
  const terms = order
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [name, direction] = each.split(' ');
      const column = ORDERED.find((own) => COLUMNS[own] === name) ?? 'id';
      return { column, sign: direction === 'desc' ? -1 : 1 };
    });
  const rank = (id: number, column: Column): string | number => {
    return comparable(CRATES[id - 1]?.[column]) ?? Number.NEGATIVE_INFINITY;
  };
  return ids.toSorted((a, b) => {
    for (const { column, sign } of terms) {
      const [x, y] = [rank(a, column), rank(b, column)];
      if (x !== y) return x < y ? -sign : sign;
    }
    return 0;
  });
}

const EXPANDS = ['', '&$expand=Keeper', '&$expand=Keeper($expand=Crates($filter=Size eq 4;$select=Id))'];

const list = fc
  .record({
    found: condition,
    order: fc.constantFrom(...ORDERS),
    page: fc.constantFrom<readonly [number, number | undefined]>([0, undefined], [0, 3], [2, 4], [0, 1]),
    expand: fc.constantFrom('', '', ...EXPANDS),
    more: fc.constantFrom('', '&$count=true', '&$select=Id,Size'),
  })
  .map(({ found, order, page: [skip, top], expand, more }): Question => {
    const ordered = order === '' ? '' : `&$orderby=${order}`;
    const paged = `${skip === 0 ? '' : `&$skip=${skip}`}${top === undefined ? '' : `&$top=${top}`}`;
    return {
      path: `odata/Crate?$filter=${found.text}${ordered}${paged}${expand}${more}`,
      isInOrder: ordered !== '' || paged !== '',
      read: (text) => [idsOf(text), (JSON.parse(text) as Record<string, unknown>)['@odata.count']],
      expected: () => {
        const ids = orderedBy(whole(found), order);
        return [
          ids.slice(skip, top === undefined ? undefined : skip + top),
          more === '&$count=true' ? ids.length : undefined,
        ];
      },
    };
  });

const count = condition.map(
  (found): Question => ({
    path: `odata/Crate/$count?$filter=${found.text}`,
    isInOrder: true,
    read: Number,
    expected: () => whole(found).length,
  }),
);

const aggregate = condition.map(
  (found): Question => ({
    path: `odata/Crate?$apply=filter(${found.text})/aggregate($count as N,Weight with sum as W)`,
    isInOrder: true,
    read: (text) => {
      const [row] = (JSON.parse(text) as Listed).value;
      return [row?.['N'], row?.['W'] ?? 0];
    },
    expected: () => {
      const ids = whole(found);
      return [ids.length, ids.reduce((sum, id) => sum + (CRATES[id - 1]?.weight ?? 0), 0)];
    },
  }),
);

const batch = fc.tuple(condition, condition).map(
  (found): Question => ({
    path: 'odata/$batch',
    isInOrder: false,
    body: {
      requests: found.map(({ text }, index) => ({
        id: String(index),
        method: 'GET',
        url: `Crate?$filter=${text}`,
      })),
    },
    read: (text) => {
      const { responses } = JSON.parse(text) as { responses: readonly { id: string; body: Listed }[] };
      return responses
        .toSorted((a, b) => Number(a.id) - Number(b.id))
        .map(({ body }) => body.value.map(({ Id }) => Id));
    },
    expected: () => found.map(whole),
  }),
);

const graph = fc
  .tuple(
    condition.filter(({ where }) => where !== undefined),
    fc.constantFrom('', 'take: 3', 'skip: 1, take: 2'),
    fc.boolean(),
  )
  .map(([found, page, isConnection]): Question => {
    const where = `where: ${found.where}`;
    const query = isConnection
      ? `{ answer: cratesConnection(${where}, first: 4) { totalCount nodes { id } } }`
      : `{ answer: crates(${where}, ${page}) { id keeper { id } } }`;
    const numbers = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => Number(id));
    return {
      path: 'graphql',
      isInOrder: isConnection || page !== '',
      body: { query },
      read: (text) => {
        const { answer } = JSON.parse(text).data;
        return isConnection ? [answer.totalCount, numbers(answer.nodes)] : numbers(answer);
      },
      expected: () => {
        const ids = whole(found);
        if (isConnection) return [ids.length, ids.slice(0, 4)];
        const [start, end] = page === '' ? [0, ids.length] : page === 'take: 3' ? [0, 3] : [1, 3];
        return ids.slice(start, end);
      },
    };
  });

const keepers = fc.tuple(fc.constantFrom('DE', 'US'), fc.integer({ min: 0, max: 8 })).map(
  ([country, size]): Question => ({
    path: `odata/Keeper?$filter=Country eq '${country}' and Crates/any(c: c/Size eq ${size})&$expand=Crates($filter=Size eq ${size};$orderby=Id desc;$select=Id)`,
    isInOrder: true,
    read: (text) =>
      (JSON.parse(text) as Listed).value.map(({ Id, Crates }) => [
        Id,
        (Crates as Listed['value']).map((crate) => crate.Id),
      ]),
    expected: () =>
      KEEPERS.filter((keeper) => keeper.country === country).flatMap(({ id }) => {
        const own = CRATES.filter((crate) => crate.keeper_id === id && crate.size === size);
        return own.length === 0 ? [] : [[id, own.map((crate) => crate.id).toReversed()]];
      }),
  }),
);

const question = fc.oneof(
  { weight: 8, arbitrary: list },
  { weight: 3, arbitrary: count },
  { weight: 2, arbitrary: aggregate },
  { weight: 1, arbitrary: batch },
  { weight: 3, arbitrary: graph },
  { weight: 1, arbitrary: keepers },
);

describe('answers of a gateway that has tried parameters out', () => {
  const stops: (() => unknown)[] = [];
  let depots: readonly Depot[] = [];
  beforeAll(async () => {
    const atEnd = (stop: () => unknown) => stops.push(stop);
    depots = await Promise.all([serveDepot({}, atEnd), serveDepot({ PUSH_DOWN: 'declared' }, atEnd)]);
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('are those of one that uses what is declared, and of plain JavaScript', {
    timeout: 60_000,
  }, async () => {
    const [planned, declared] = depots;
    if (planned === undefined || declared === undefined) throw new Error('Expected two gateways');
    const wrong: unknown[] = [];
    for (const { path, body, isInOrder, read, expected } of fc.sample(question, { seed: 8, numRuns: 110 })) {
      const other = await declared.ask(path, body);
      const name = body === undefined ? path : JSON.stringify(body);
      for (let time = 0; time < 3; time += 1) {
        const own = await planned.ask(path, body);
        if (own.status !== 200 || own.text.startsWith('{"errors"')) wrong.push([name, time, own]);
        else if (settled(own.text, isInOrder) !== settled(other.text, isInOrder))
          wrong.push([name, time, own.text, other.text]);
        else {
          const [given, wanted] = [read(own.text), expected()].map((each) => JSON.stringify(each));
          if (settled(`{"":${given}}`, isInOrder) !== settled(`{"":${wanted}}`, isInOrder))
            wrong.push([name, time, given, wanted]);
        }
      }
    }
    expect(wrong).toStrictEqual([]);
  });
});
/** The answer without entity tags, which narrowed lists do not have. */
function settled(text: string, isInOrder: boolean): string {
  if (!text.startsWith('{')) return text;
  const settle = (name: string, value: unknown): unknown => {
    if (name === 'etag') return undefined;
    return Array.isArray(value) && !isInOrder ? inOrder(value) : value;
  };
  return JSON.stringify(JSON.parse(text, settle));
}

function inOrder(values: readonly unknown[]): readonly unknown[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
