import { describe, expect, it } from 'vitest';
import { MISTAKES, NOT_IMPLEMENTED } from './mistakes.cases.ts';
import { countOf, entityQuery, errorOf, idsOf, POSTS, runQuery, THING, THINGS } from './sample.ts';

/** Mistakes of expressions name their place; those of whole options need none. */
const messageOf = (target: string, message: string): string =>
  message.startsWith(`${target} is not`) ? message : `${target}: ${message}`;

describe('a query that means nothing', () => {
  it.each(MISTAKES)('%o', (query, target, message) => {
    expect(errorOf(() => runQuery(query))).toEqual({
      code: 'BadRequest',
      message: messageOf(target, message),
      target,
    });
  });

  it('quotes no more than 100 characters of it', () => {
    const name = 'N'.repeat(120);
    expect(errorOf(() => runQuery({ $filter: `${name} eq 1` }))).toEqual({
      code: 'BadRequest',
      message: `$filter: expected a property of Sample.Post, found '${'N'.repeat(100)}…' at position 0`,
      target: '$filter',
    });
  });
});

describe('a mistake in a parameter alias', () => {
  it('shows no more than 100 characters of its name', () => {
    const name = `@${'a'.repeat(110)}`;
    expect(errorOf(() => runQuery({ $filter: name, [name]: '1' }))).toMatchObject({ code: 'BadRequest' });
    expect(errorOf(() => runQuery({ $filter: name, [name]: 'Nope' }))).toEqual({
      code: 'BadRequest',
      message: `@${'a'.repeat(100)}…: expected a property of Sample.Post, found 'Nope' at position 0`,
      target: `@${'a'.repeat(100)}…`,
    });
  });
});

describe('a query that is not implemented', () => {
  it.each(NOT_IMPLEMENTED)('%o', (query, target, message) => {
    expect(errorOf(() => runQuery(query))).toEqual({
      code: 'NotImplemented',
      message: messageOf(target, message),
      target,
    });
  });
});

describe('Part 2, 5.1.1.1: binary values', () => {
  it.each(['Data eq Data', 'Data gt null and Data in (Data)'])('%s', ($filter) => {
    expect(errorOf(() => runQuery({ $filter }, [THING], THINGS))).toMatchObject({ code: 'BadRequest' });
  });
});

describe('options that do not apply to one entity', () => {
  it.each([
    ['$filter', 'true'],
    ['$orderby', 'Id'],
    ['$search', 'x'],
    ['$top', '1'],
    ['$skip', '0'],
    ['$count', 'false'],
    ['$apply', 'identity'],
  ])('%s', (target, value) => {
    expect(errorOf(() => entityQuery({ [target]: value }))).toEqual({
      code: 'BadRequest',
      message: `${target} does not apply to a single entity`,
      target,
    });
  });
});

describe('what multiplies', () => {
  const chain = (name: (index: number) => string, wrap: (name: string) => string) =>
    Array.from({ length: 20 }, (_, index) => [name(index), wrap(name(index + 1))] as const);

  it('is refused where aliases double at each step', () => {
    const aliases = chain(
      (index) => `@a${index}`,
      (name) => `${name} or ${name}`,
    );
    const query = { $filter: '@a0', ...Object.fromEntries(aliases) };
    expect(errorOf(() => idsOf(query))).toMatchObject({ code: 'BadRequest' });
  });

  it('is refused where computed properties double at each step', () => {
    const steps = chain(
      (index) => `C${index}`,
      (name) => name,
    ).map(([name, next]) => `${name} add ${name} as ${next}`);
    const $compute = ['UserId as C0', ...steps].join(',');
    expect(errorOf(() => idsOf({ $compute }))).toMatchObject({ code: 'BadRequest', target: '$compute' });
  });
});

describe('a query that is too large', () => {
  it.each([
    ['parentheses', `${'('.repeat(500)}true${')'.repeat(500)}`],
    ['not', `${'not '.repeat(2000)}true`],
    ['calls', `${'concat('.repeat(1000)}'a'${`,'a')`.repeat(1000)} eq 'a'`],
    ['or', Array(201).fill('true').join(' or ')],
  ])('is refused, not run into the ground: %s', (_name, $filter) => {
    expect(errorOf(() => idsOf({ $filter }))).toMatchObject({
      code: expect.stringMatching(/^(BadRequest|UriTooLong)$/),
    });
  });
});

describe('matchesPattern', () => {
  it('answers at once where backtracking would take seconds', () => {
    const rows = [{ UserId: 1, Id: '1', Title: `${'a'.repeat(5000)}!`, Body: null }];
    expect(idsOf({ $filter: `matchesPattern(Title,'^(a+)+$')` }, rows)).toEqual([]);
  });
});

describe('a mistake in what /$count does not look at', () => {
  it('is no mistake', () => {
    expect(countOf({ $orderby: 'Nope', $select: 'Nope' })).toBe(
      POSTS.entityType.structuralProperties.size + 1,
    );
  });
});
