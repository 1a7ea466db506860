import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/contract/row.ts';
import { compileValueCount, compileValueQuery } from './at-once.ts';
import { errorOf } from './sample.ts';
import { ANIMALS, optionsOf, type Query, ZOO } from './zoo.ts';

const PROPERTIES = ZOO.entityTypes.get('Animal')?.structuralProperties ?? new Map();
const [ANIMAL = {}] = ANIMALS;

const run = (name: string, query: Query) =>
  compileValueQuery(ZOO, PROPERTIES.get(name), optionsOf(query)).run(ANIMAL[name] ?? null);

describe('Part 1, 11.2.6: options of a collection of values', () => {
  it.each<[string, Query, Value, number | undefined]>([
    ['Tags', {}, ['x', 'y', 'x'], undefined],
    ['Tags', { $filter: `$it eq 'x'` }, ['x', 'x'], undefined],
    ['Tags', { $filter: `$this eq 'x'`, $count: 'true', $top: '1' }, ['x'], 2],
    ['Tags', { $orderby: '$it desc', $skip: '1' }, ['x', 'x'], undefined],
    ['Tags', { $search: 'Y' }, ['y'], undefined],
    ['Colours', { $orderby: '$it' }, ['Red', 'Green'], undefined],
    ['Scores', { $filter: '$it gt @least', '@least': '2' }, ['2.50', 3], undefined],
    ['Visits', { $filter: 'Cost gt 5', $select: 'Day' }, [{ Day: '2024-01-01' }], undefined],
    ['Visits', { $orderby: 'Day', $top: '1', $select: 'Note' }, [{ Note: null }], undefined],
    [
      'Visits',
      { $compute: 'length(Note) as N', $filter: 'N eq 5', $select: 'N,Guests' },
      [{ Guests: ['Eve', 'Ada'], N: 5 }],
      undefined,
    ],
    [
      'Visits',
      { $filter: 'Note ne null', $select: `Guests($filter=$this ne 'Eve' and $it/Note eq 'short')` },
      [{ Guests: ['Ada'] }],
      undefined,
    ],
  ])('%s %o', (name, query, value, count) => {
    expect(run(name, query)).toEqual({ value, count });
  });
});

describe('options of a single structured value', () => {
  it.each<[Query, Value]>([
    [{ $select: 'City' }, { City: 'Bonn' }],
    [
      { $select: 'Geo/Height,N', $compute: 'Zip add 1 as N' },
      { Geo: { Height: 60.5 }, N: 53112 },
    ],
  ])('%o', (query, value) => {
    expect(run('Home', query)).toEqual({ value, count: undefined });
  });
});

describe('Part 1, 11.2.10: /$count of a collection of values', () => {
  it.each<[string, Query, number]>([
    ['Tags', {}, 3],
    ['Tags', { $filter: `$it eq 'x'`, $top: '1' }, 2],
    ['Visits', { $search: 'short' }, 1],
  ])('%s %o', (name, query, count) => {
    const compiled = compileValueCount(ZOO, PROPERTIES.get(name), optionsOf(query));
    expect(compiled.run(ANIMAL[name] as readonly Value[])).toBe(count);
  });
});

describe('a mistake in options of values', () => {
  it.each<[string, Query, object]>([
    ['Tags', { $filter: '$it eq 1' }, { code: 'BadRequest', target: '$filter' }],
    ['Tags', { $filter: '$it' }, { code: 'BadRequest', target: '$filter' }],
    ['Visits', { $orderby: 'Nope' }, { code: 'BadRequest', target: '$orderby' }],
    ['Visits', { $select: 'Nope' }, { code: 'BadRequest', target: '$select' }],
    ['Visits', { $compute: 'Nope as N' }, { code: 'BadRequest', target: '$compute' }],
    ['Home', { $filter: 'true' }, { code: 'BadRequest', target: '$filter' }],
    ['Visits', { $expand: 'X' }, { code: 'NotImplemented', target: '$expand' }],
  ])('%s %o', (name, query, error) => {
    expect(errorOf(() => run(name, query))).toMatchObject(error);
  });
});
