import { describe, expect, it } from 'vitest';
import { compileCount, compileQuery } from './at-once.ts';
import {
  countOf,
  entityQuery,
  errorOf,
  idsOf,
  MODEL,
  optionsOf,
  POST_ROWS,
  POSTS,
  type Query,
  runQuery,
} from './sample.ts';

const ALL = ['UserId', 'Id', 'Title', 'Body'];
const compiled = (query: Query) => compileQuery(MODEL, POSTS.entityType, optionsOf(query));
const shapeOf = (query: Query) => {
  const { properties, selected, computed, exact } = compiled(query);
  const types = [...computed].map(([name, { type }]) => [name, type.name] as const);
  return { properties, selected, computed: Object.fromEntries(types), exact };
};

describe('a query without options', () => {
  it('gives back the array it was given', () => {
    expect(runQuery({}).rows).toBe(POST_ROWS);
    expect(runQuery({ $filter: 'true', $top: '5', $skip: '0' }).rows).toBe(POST_ROWS);
  });

  it('leaves rows and their array alone', () => {
    const rows = Object.freeze(POST_ROWS.map((row) => Object.freeze({ ...row })));
    const query = { $compute: 'length(Title) as N', $filter: 'N gt 1', $orderby: 'N desc', $top: '2' };
    expect(runQuery(query, rows).rows).toEqual([
      { UserId: 2, Id: '1', Title: 'Cedar', Body: 'The first', N: 5 },
      { UserId: null, Id: '10', Title: 'Birch', Body: null, N: 5 },
    ]);
  });

  it('runs any number of times', () => {
    const query = compiled({ $filter: 'UserId eq 2', $orderby: 'Id desc', $top: '1' });
    expect([query.run(POST_ROWS), query.run([]), query.run(POST_ROWS)]).toEqual([
      { rows: [POST_ROWS[2]], count: undefined },
      { rows: [], count: undefined },
      { rows: [POST_ROWS[2]], count: undefined },
    ]);
  });
});

describe('Part 1, 11.2.5.1, $select', () => {
  it.each<[Query, ReturnType<typeof shapeOf>]>([
    [{}, { properties: ALL, selected: ALL, computed: {}, exact: true }],
    [{ $select: '*' }, { properties: ALL, selected: ALL, computed: {}, exact: true }],
    [
      { $select: 'Title,Id,Title' },
      { properties: ['Id', 'Title'], selected: ['Id', 'Title'], computed: {}, exact: true },
    ],
    [
      { $select: 'Title', $filter: 'UserId gt 1' },
      { properties: ['UserId', 'Id', 'Title'], selected: ['Title'], computed: {}, exact: false },
    ],
    [
      { $select: 'Id', $orderby: 'length(Body)' },
      { properties: ['Id', 'Body'], selected: ['Id'], computed: {}, exact: false },
    ],
    [
      { $select: 'Id', $search: 'x' },
      { properties: ['Id', 'Title', 'Body'], selected: ['Id'], computed: {}, exact: false },
    ],
    [
      { $select: 'Sample.Post/Title' },
      { properties: ['Id', 'Title'], selected: ['Title'], computed: {}, exact: false },
    ],
    [
      { $select: 'Id,N', $compute: 'length(Title) as N,UserId mul 2 as Twice' },
      { properties: ['Id', 'Title'], selected: ['Id', 'N'], computed: { N: 'Edm.Int32' }, exact: false },
    ],
    [
      { $select: 'Id', $compute: 'length(Title) as N', $filter: 'N gt 1' },
      { properties: ['Id', 'Title'], selected: ['Id'], computed: {}, exact: false },
    ],
    [
      { $compute: 'length(Title) as N,null as Nothing' },
      {
        properties: ALL,
        selected: [...ALL, 'N', 'Nothing'],
        computed: { N: 'Edm.Int32', Nothing: 'Edm.String' },
        exact: true,
      },
    ],
  ])('%o', (query, shape) => {
    expect(shapeOf(query)).toEqual(shape);
  });
});

describe('Part 1, 11.2.6.5, $count', () => {
  it.each<[Query, number | undefined, readonly string[]]>([
    [{ $count: 'true' }, 5, ['1', '2', '3', '10', '11']],
    [{ $count: 'false' }, undefined, ['1', '2', '3', '10', '11']],
    [{ $count: 'true', $top: '1' }, 5, ['1']],
    [{ $count: 'true', $top: '0' }, 5, []],
    [{ $count: 'true', $filter: 'UserId eq 2', $top: '1' }, 2, ['1']],
    [{ $count: 'true', $filter: 'UserId eq 2', $skip: '1' }, 2, ['3']],
    [{ $count: 'true', $filter: 'UserId eq 2', $orderby: 'Id desc', $top: '1' }, 2, ['3']],
    [{ $count: 'true', $filter: 'UserId eq 2', $orderby: 'Id desc' }, 2, ['3', '1']],
    [{ $count: 'true', $search: 'amber', $top: '1', $skip: '1' }, 3, ['3']],
  ])('%o', (query, count, ids) => {
    expect(runQuery(query).count).toBe(count);
    expect(idsOf(query)).toEqual(ids);
  });
});

describe('Part 1, 11.2.10, /$count', () => {
  it.each<[Query, number]>([
    [{}, 5],
    [{ $filter: 'UserId eq 2' }, 2],
    [{ $search: 'amber' }, 3],
    [{ $search: 'amber', $filter: 'UserId eq 2' }, 1],
    [{ $filter: 'UserId eq 2', $top: '1', $skip: '1', $orderby: 'Id', $expand: 'Author' }, 2],
    [{ $compute: 'UserId mul 2 as Twice', $filter: 'Twice eq 4' }, 2],
  ])('%o', (query, count) => {
    expect(countOf(query)).toBe(count);
  });

  it('fetches what is filtered by, and the key', () => {
    expect(compileCount(MODEL, POSTS.entityType, optionsOf({ $filter: 'UserId eq 2' })).properties).toEqual([
      'UserId',
      'Id',
    ]);
    expect(compileCount(MODEL, POSTS.entityType, optionsOf({})).properties).toEqual(['Id']);
  });
});

describe('a query that asks for the time', () => {
  it.each<[Query, boolean]>([
    [{ $filter: 'UserId eq 1' }, true],
    [{ $filter: 'year(now()) gt 2000' }, false],
    [{ $compute: 'now() as Asked' }, false],
    [{ $orderby: 'now()' }, false],
  ])('%o', (query, repeatable) => {
    expect(compiled(query).repeatable).toBe(repeatable);
  });
});

describe('one entity', () => {
  const row = { UserId: 1, Id: '2', Title: 'amber', Body: 'The second' };

  it('is given back as it is', () => {
    const { run, needingCalls: _, ...projection } = entityQuery({ $select: 'Title' });
    expect(projection).toEqual({
      properties: ['Id', 'Title'],
      dynamic: false,
      related: new Map(),
      roots: [],
      calls: [],
      selected: ['Title'],
      computed: new Map(),
      counted: [],
      exact: false,
      repeatable: true,
    });
    expect(run(row)).toBe(row);
  });

  it('can have computed properties', () => {
    expect(entityQuery({ $compute: 'length(Title) as N' }).run(row)).toEqual({ ...row, N: 5 });
  });
});

describe('early ends', () => {
  const rows = [...POST_ROWS, { UserId: 0, Id: '12', Title: 'bad', Body: null }];
  const $filter = '6 div UserId ge 2';
  const mistake = {
    code: 'BadRequest',
    message: `$filter: division by zero in 'div' at position 2`,
    target: '$filter',
  };

  it('stops at the end of the page', () => {
    expect(idsOf({ $filter, $top: '4' }, rows)).toEqual(['1', '2', '3', '11']);
  });

  it('goes on where all rows are counted or ordered', () => {
    expect(errorOf(() => idsOf({ $filter, $top: '1', $count: 'true' }, rows))).toEqual(mistake);
    expect(errorOf(() => idsOf({ $filter, $top: '1', $orderby: 'Id' }, rows))).toEqual(mistake);
  });
});
