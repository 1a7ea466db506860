import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/contract/row.ts';
import { POSTS, runQuery } from './sample.ts';

type Test = (row: Row) => boolean | null;
type Expression = readonly [text: string, test: Test];

/** The standard's rules for null in a few lines, and as slow as may be. */
const COMPARISONS: Readonly<Record<string, (left: number | string, right: number | string) => boolean>> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
};

function compare(operator: string, left: number | string | null, right: number | string | null): boolean {
  if (left === null || right === null) {
    return operator === 'eq' ? left === right : operator === 'ne' && left !== right;
  }
  return COMPARISONS[operator]?.(left, right) === true;
}

const and = (left: boolean | null, right: boolean | null) =>
  left === false || right === false ? false : left === null || right === null ? null : true;
const not = (value: boolean | null) => (value === null ? null : !value);
const or = (left: boolean | null, right: boolean | null) => not(and(not(left), not(right)));

const operator = fc.constantFrom(...Object.keys(COMPARISONS));
const number = fc.option(fc.integer({ min: 0, max: 3 }));
const word = fc.option(fc.string({ unit: fc.constantFrom('a', 'b', 'A'), maxLength: 2 }));
const quoted = (text: string | null) => (text === null ? 'null' : `'${text}'`);

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc
    .tuple(operator, number)
    .map(
      ([name, value]): Expression => [
        `UserId ${name} ${value}`,
        ({ UserId }) => compare(name, UserId as number | null, value),
      ],
    ),
  fc
    .tuple(operator, word)
    .map(
      ([name, value]): Expression => [
        `${quoted(value)} ${name} Title`,
        ({ Title }) => compare(name, value, Title as string | null),
      ],
    ),
  fc
    .tuple(operator, fc.constant('Body'))
    .map(
      ([name, other]): Expression => [
        `Title ${name} ${other}`,
        ({ Title, Body }) => compare(name, Title as string | null, Body as string | null),
      ],
    ),
  word.map(
    (value): Expression => [
      `contains(Title,${quoted(value)})`,
      ({ Title }) => (Title === null || value === null ? null : (Title as string).includes(value)),
    ],
  ),
  fc
    .array(word, { maxLength: 3 })
    .map(
      (values): Expression => [
        `Title in (${values.map(quoted).join(',')})`,
        ({ Title }) => values.includes(Title as string | null),
      ],
    ),
);

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    leaf,
    tie('expression').map(([text, test]): Expression => [`not (${text})`, (row) => not(test(row))]),
    fc
      .tuple(tie('expression'), fc.boolean(), tie('expression'))
      .map(
        ([[left, one], both, [right, two]]): Expression => [
          `(${left} ${both ? 'and' : 'or'} ${right})`,
          (row) => (both ? and : or)(one(row), two(row)),
        ],
      ),
  ),
}));

const row = fc.record({ UserId: number, Title: word, Body: word });
const rows = fc
  .array(row, { maxLength: 30 })
  .map((all) => all.map((each, Id) => ({ ...each, Id: String(Id) })));
const term = fc.record({ name: fc.constantFrom('UserId', 'Title', 'Body'), descending: fc.boolean() });
const order = fc.uniqueArray(term, { maxLength: 3, selector: ({ name }) => name });
const page = fc.record({
  skip: fc.option(fc.nat(5), { nil: undefined }),
  top: fc.option(fc.nat(12), { nil: undefined }),
});

function rank(left: Row, right: Row, name: string): number {
  const [one, two] = [left[name] as string | null, right[name] as string | null];
  return compare('eq', one, two) ? 0 : one === null || compare('lt', one, two) ? -1 : 1;
}

describe('filters, orders and pages', () => {
  it('are what the standard’s rules make of them', () => {
    fc.assert(
      fc.property(
        rows,
        expression,
        order,
        page,
        fc.boolean(),
        (all, [text, test], terms, { skip, top }, counted) => {
          const query = {
            $filter: text,
            ...(terms.length > 0 && {
              $orderby: terms.map(({ name, descending }) => `${name}${descending ? ' desc' : ''}`).join(','),
            }),
            ...(skip !== undefined && { $skip: String(skip) }),
            ...(top !== undefined && { $top: String(top) }),
            $count: String(counted),
          };
          const accepted = all.filter((each) => test(each) === true);
          const keys = terms.length === 0 ? [] : [...terms, { name: 'Id', descending: false }];
          const sorted = accepted.toSorted(
            (left, right) =>
              keys
                .map(({ name, descending }) => rank(left, right, name) * (descending ? -1 : 1))
                .find((outcome) => outcome !== 0) ?? 0,
          );
          expect(runQuery(query, all, POSTS)).toEqual({
            rows: sorted.slice(skip ?? 0, (skip ?? 0) + (top ?? all.length)),
            count: counted ? accepted.length : undefined,
          });
        },
      ),
      { numRuns: 500 },
    );
  });
});
