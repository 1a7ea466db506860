import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/contract/row.ts';
import { compiled } from './zoo.ts';

type Truth = boolean | null;
type Text = string | null;

/** The instance of an expression: the row, and the items of the enclosing lambda operators. */
interface Instance {
  readonly row: Row;
  readonly tag?: Text;
  readonly visit?: Row | null;
}

type Condition = readonly [text: string, test: (instance: Instance) => Truth];

const COLOURS = ['Red', 'Green', 'Blue'];
const FOOD = ['Meat', 'Fish', 'Fruit'];

/** The rules for null (5.1.1.1) in a few lines. */
function compare(operator: string, left: number | string | null, right: number | string | null): boolean {
  if (left === null || right === null) {
    return operator === 'eq' ? left === right : operator === 'ne' && left !== right;
  }
  const outcome = Number(left > right) - Number(left < right);
  return {
    eq: outcome === 0,
    ne: outcome !== 0,
    gt: outcome > 0,
    ge: outcome >= 0,
    lt: outcome < 0,
    le: outcome <= 0,
  }[operator] as boolean;
}

const not = (value: Truth): Truth => (value === null ? null : !value);
const and = (left: Truth, right: Truth): Truth =>
  left === false || right === false ? false : left === null || right === null ? null : true;
const rank = (colour: unknown) => (colour === null ? null : COLOURS.indexOf(colour as string));
const bits = (food: string) => food.split(',').reduce((sum, name) => sum + 2 ** FOOD.indexOf(name), 0);
const quoted = (text: Text) => (text === null ? 'null' : `'${text}'`);

const operator = fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le');
const word: fc.Arbitrary<Text> = fc.option(fc.constantFrom('a', 'b', 'ab'));
const colour = fc.option(fc.constantFrom(...COLOURS));
const food = fc.option(fc.subarray(FOOD, { minLength: 1 }).map((names) => names.join(',')));
const cost = fc.option(fc.integer({ min: 0, max: 3 }));
const visit = fc.option(fc.record({ Cost: cost, Note: word }));
const home = fc.option(fc.record({ City: word, Geo: fc.option(fc.record({ Kind: colour })) }));
const animal = fc.record({
  Name: word,
  Colour: colour,
  Likes: food,
  Home: home,
  Tags: fc.array(word, { maxLength: 3 }),
  Visits: fc.array(visit, { maxLength: 3 }),
});
const animals = fc
  .array(animal, { maxLength: 12 })
  .map((all) => all.map((each, index): Row => ({ Id: String(index), ...each })));

const cityOf = ({ row }: Instance): Text => ((row['Home'] as Row | null)?.['City'] ?? null) as Text;
const kindOf = ({ row }: Instance) => ((row['Home'] as Row | null)?.['Geo'] as Row | null)?.['Kind'] ?? null;

const ofRow: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(operator, colour)
    .map(
      ([name, value]): Condition => [
        `Colour ${name} ${quoted(value)}`,
        ({ row }) => compare(name, rank(row['Colour'] ?? null), rank(value)),
      ],
    ),
  operator.map(
    (name): Condition => [
      `Home/Geo/Kind ${name} Colour`,
      (instance) => compare(name, rank(kindOf(instance)), rank(instance.row['Colour'] ?? null)),
    ],
  ),
  fc
    .tuple(operator, word)
    .map(
      ([name, value]): Condition => [
        `Home/City ${name} ${quoted(value)}`,
        (instance) => compare(name, cityOf(instance), value),
      ],
    ),
  fc.subarray(FOOD, { minLength: 1 }).map(
    (names): Condition => [
      `Likes has '${names.join(',')}'`,
      ({ row }) => {
        const wanted = bits(names.join(','));
        return row['Likes'] === null ? null : (bits(row['Likes'] as string) & wanted) === wanted;
      },
    ],
  ),
  word.map(
    (value): Condition => [`${quoted(value)} in Tags`, ({ row }) => (row['Tags'] as Text[]).includes(value)],
  ),
  fc.constant<Condition>([
    'Name in Tags',
    ({ row }) => (row['Tags'] as Text[]).includes(row['Name'] as Text),
  ]),
  fc
    .nat(3)
    .map(
      (count): Condition => [
        `Tags/$count($filter=$this ne null) gt ${count}`,
        ({ row }) => (row['Tags'] as Text[]).filter((tag) => tag !== null).length > count,
      ],
    ),
);

const ofTag: fc.Arbitrary<Condition> = fc
  .tuple(operator, word)
  .map(
    ([name, value]): Condition => [
      `t ${name} ${quoted(value)}`,
      ({ tag = null }) => compare(name, tag, value),
    ],
  );

const ofVisit: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(operator, cost)
    .map(
      ([name, value]): Condition => [
        `v/Cost ${name} ${value}`,
        ({ visit: item }) => compare(name, (item?.['Cost'] ?? null) as number | null, value),
      ],
    ),
  fc.constant<Condition>([
    'v/Note eq Name',
    ({ visit: item, row }) => ((item?.['Note'] ?? null) as Text) === row['Name'],
  ]),
);

/** `any` and `all` of one collection over conditions on its items, which may speak of the row, too. */
function range(
  collection: string,
  variable: string,
  inner: fc.Arbitrary<Condition>,
  enter: (instance: Instance, item: never) => Instance,
): fc.Arbitrary<Condition> {
  return fc.tuple(fc.boolean(), inner).map(
    ([isAny, [text, test]]): Condition => [
      `${collection}/${isAny ? 'any' : 'all'}(${variable}:${text})`,
      (instance) => {
        const results = (instance.row[collection] as never[]).map(
          (item) => test(enter(instance, item)) === true,
        );
        return isAny ? results.includes(true) : !results.includes(false);
      },
    ],
  );
}

function both(left: fc.Arbitrary<Condition>, right: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> {
  return fc
    .tuple(left, fc.boolean(), right)
    .map(
      ([[one, first], isNot, [two, second]]): Condition => [
        `(${one} and ${isNot ? `not (${two})` : two})`,
        (instance) => and(first(instance), isNot ? not(second(instance)) : second(instance)),
      ],
    );
}

const tags = range('Tags', 't', fc.oneof(ofTag, both(ofTag, ofRow)), (instance, tag) => ({
  ...instance,
  tag,
}));
const inner = fc.oneof(ofVisit, both(ofVisit, ofRow), both(ofVisit, tags));
const visits = range('Visits', 'v', inner, (instance, item) => ({ ...instance, visit: item }));
const condition = fc.oneof(ofRow, tags, visits, both(ofRow, visits), both(tags, visits));

describe('filters over enumerations, paths and ranges', () => {
  it('are what the standard’s rules make of them', () => {
    fc.assert(
      fc.property(animals, condition, (rows, [$filter, test]) => {
        expect(compiled({ $filter }).run(rows).rows).toEqual(rows.filter((row) => test({ row }) === true));
      }),
      { numRuns: 500 },
    );
  });
});

describe('options of a collection in $select', () => {
  const options = fc.record({
    value: word,
    name: operator,
    descending: fc.boolean(),
    skip: fc.nat(2),
    top: fc.nat(3),
  });

  it('are what they are for a whole set', () => {
    fc.assert(
      fc.property(animals, options, (rows, { value, name, descending, skip, top }) => {
        const order = `$orderby=$this${descending ? ' desc' : ''}`;
        const $select = `Tags($filter=$this ${name} ${quoted(value)};${order};$skip=${skip};$top=${top};$count=true)`;
        const shown = compiled({ $select }).run(rows).rows;
        const expected = rows.map(({ Tags }) => {
          const found = (Tags as Text[]).filter((tag) => compare(name, tag, value));
          const sorted = found.toSorted((left, right) => compareTexts(left, right) * (descending ? -1 : 1));
          return [sorted.slice(skip, skip + top), found.length];
        });
        expect(shown.map((row) => [row['Tags'], row['Tags@count']])).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

function compareTexts(left: Text, right: Text): number {
  if (left === right) return 0;
  return left === null || (right !== null && left < right) ? -1 : 1;
}
