import { GatewayError } from '../../../src/contract/gateway-error.ts';
import type { Row } from '../../../src/contract/row.ts';
import type { QueryOptions } from '../../../src/engine/tree/query-tree.ts';
import type { EntitySet } from '../../../src/model/edm.ts';
import type { Model } from '../../../src/model/model.ts';
import type { PrimitiveTypeName } from '../../../src/model/type-use.ts';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { entityTypeOf, modelOf, primitiveProperty } from '../../support/model.ts';
import { compileCount, compileEntityQuery, compileQuery } from './at-once.ts';

function entitySet(name: string, properties: Readonly<Record<string, PrimitiveTypeName>>): EntitySet {
  const structural = Object.entries(properties).map(([property, type]) => primitiveProperty(property, type));
  const entityType = entityTypeOf('Sample', name, structural);
  return { name, entityType, list: undefined, read: undefined, insert: undefined, grants: new Map() };
}

export const POSTS = entitySet('Post', {
  UserId: 'Edm.Int32',
  Id: 'Edm.String',
  Title: 'Edm.String',
  Body: 'Edm.String',
});

/** One property of every type. */
export const THINGS = entitySet('Thing', {
  Id: 'Edm.String',
  Flag: 'Edm.Boolean',
  Small: 'Edm.Int32',
  Big: 'Edm.Int64',
  Price: 'Edm.Decimal',
  Rate: 'Edm.Double',
  Day: 'Edm.Date',
  At: 'Edm.DateTimeOffset',
  Time: 'Edm.TimeOfDay',
  Span: 'Edm.Duration',
  Code: 'Edm.Guid',
  Data: 'Edm.Binary',
  Nothing: 'Edm.String',
  NoNumber: 'Edm.Int32',
  NoFlag: 'Edm.Boolean',
  NoTime: 'Edm.DateTimeOffset',
});

export const MODEL: Model = modelOf('Sample', [POSTS, THINGS]);

export const POST_ROWS: readonly Row[] = [
  { UserId: 2, Id: '1', Title: 'Cedar', Body: 'The first' },
  { UserId: 1, Id: '2', Title: 'amber', Body: 'The second' },
  { UserId: 2, Id: '3', Title: null, Body: 'Of amber and cedar' },
  { UserId: null, Id: '10', Title: 'Birch', Body: null },
  { UserId: 3, Id: '11', Title: 'Amber', Body: "O'Neil & Sons" },
];

export const THING: Row = {
  Id: 'one',
  Flag: true,
  Small: 7,
  Big: 9007199254740993n,
  Price: 12.5,
  Rate: 0.25,
  Day: '2024-02-29',
  At: '2024-02-29T23:30:15.25+02:00',
  Time: '07:45:30.5',
  Span: 'P1DT2H',
  Code: '0123ABCD-0123-4567-89ab-0123456789ab',
  Data: 'T0RhdGE',
  Nothing: null,
  NoNumber: null,
  NoFlag: null,
  NoTime: null,
};

/** The options of a query as the parser reads it; texts are encoded as a client must. */
export function optionsOf(query: Readonly<Record<string, string>>): QueryOptions {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parseRequestTarget(`/Post?${text.join('&')}`).options;
}

export type Query = Readonly<Record<string, string>>;

export function runQuery(query: Query, rows: readonly Row[] = POST_ROWS, set: EntitySet = POSTS) {
  const model = modelOf('Sample', [POSTS, THINGS, set]);
  return compileQuery(model, set.entityType, optionsOf(query)).run(rows);
}

/** The keys of the rows that the query leaves, in their order. */
export function idsOf(query: Query, rows: readonly Row[] = POST_ROWS): readonly unknown[] {
  return runQuery(query, rows).rows.map(({ Id }) => Id);
}

export function countOf(query: Query): number {
  return compileCount(MODEL, POSTS.entityType, optionsOf(query)).run(POST_ROWS);
}

export function entityQuery(query: Query) {
  return compileEntityQuery(MODEL, POSTS.entityType, optionsOf(query));
}

/** The value of an expression for the thing, computed by `$compute`. */
export function resultOf(expression: string): unknown {
  return runQuery({ $compute: `${expression} as Result` }, [THING], THINGS).rows[0]?.Result;
}

/** The error that a function ends with, as a client sees it. */
export function errorOf(run: () => unknown): object {
  try {
    return { returned: run() };
  } catch (error) {
    if (!(error instanceof GatewayError)) {
      throw error;
    }
    const { code, message, target } = error;
    return { code, message, target };
  }
}
