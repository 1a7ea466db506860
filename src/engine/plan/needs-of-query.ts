import type { Value } from '../../contract/row.ts';
import { type EntityType, expressionPath, isComparable } from '../../model/edm.ts';
import type { ListOperation, Paging } from '../../model/operation.ts';
import { isNumeric } from '../../model/type-use.ts';
import type { ArgumentReader } from '../bind/argument-value.ts';
import { conjuncts, readsFrom } from '../query/pipeline.ts';
import type { AcceptRows, FirstOrder, FixedArguments, PushDown, ReadNeeds } from '../resource/read-needs.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Expression, QueryOptions } from '../tree/query-tree.ts';
import { chosenArguments, isSplit } from './chosen-arguments.ts';
import { conditionsOf, keysOf, propertyName } from './conditions.ts';
import { pushDown } from './declared-arguments.ts';
import { fixedByFilter, termsBeside } from './fixed-arguments.ts';

type Options = Omit<QueryOptions, 'expand'>;

/** Parts of a compiled query that a read of its entities uses. */
interface CompiledParts {
  readonly accept: AcceptRows | undefined;
  readonly completed: readonly string[];
}

/** Analyses a query over a collection once; plans for its reads are made from the result. */
export function needsOf(
  reader: ArgumentReader,
  collection: CollectionResource,
  options: Options,
  { accept, completed }: CompiledParts,
): ReadNeeds {
  const fixed = fixedBy(reader, collection, options);
  const whole: ReadNeeds = { ...NEEDS_WHOLE, fixed, completed };
  const { origin, type, isCast } = collection;
  if (origin.kind !== 'operations' || isLiteral(collection)) return whole;
  // Options about the whole input set need all of it.
  if (readsFrom('$these', options)) return whole;
  const { filter, search, orderBy, top, skip = 0, count = false, apply } = aboutEntities(options);
  const { conditions, isWhole } = conditionsOf(reader, type, filter);
  const { list } = origin.operations;
  const chosen = list === undefined ? undefined : chosenArguments(collection.entityType, list, conditions);
  const order = apply === undefined ? firstOrder(type, orderBy) : undefined;
  const isInOrder = orderBy === undefined || order !== undefined;
  const mayEnd = !count && apply === undefined && !isCast && isInOrder && top !== 0;
  const keys = keysOf(reader, type, keyNames(collection), filter);
  return {
    ...whole,
    chosen,
    pushed: isCast ? undefined : pushedDown(reader, collection, { fixed, chosen }, options),
    keys,
    isWritten: true,
    conditions,
    isWholeFilter: isWhole && search === undefined && apply === undefined && !isCast,
    order,
    places: placesOf(options, keys?.length),
    mayEnd,
    end: mayEnd && top !== undefined ? skip + top : undefined,
    isCount: top === 0 && count && apply === undefined,
    accept,
  };
}

function placesOf(
  { apply = [], orderBy, top = Number.POSITIVE_INFINITY, skip = 0 }: Options,
  most = Number.POSITIVE_INFINITY,
): ReadNeeds['places'] {
  const isOfPlaces = apply.some(({ kind }) => !OF_NO_PLACE.has(kind));
  if (!isOfPlaces && skip === 0 && (top >= most || top === 0)) return 'all';
  return orderBy === undefined || apply.length > 0 ? 'listed' : 'sorted';
}

/** Transformations with the same result whatever the order of their input is. */
const OF_NO_PLACE: ReadonlySet<string> = new Set(['filter', 'search', 'aggregate', 'groupby']);

/** The needs of a read that takes all entities of a list. */
export const NEEDS_WHOLE: ReadNeeds = {
  pushed: undefined,
  fixed: undefined,
  chosen: undefined,
  keys: undefined,
  isWritten: false,
  conditions: [],
  isWholeFilter: false,
  order: undefined,
  places: 'all',
  mayEnd: false,
  end: undefined,
  isCount: false,
  accept: undefined,
  completed: [],
};

/** The needs of a read of all entities whose property has one of the values. */
export function needsOfValues(
  collection: CollectionResource,
  property: string,
  values: readonly Value[],
  completed: readonly string[],
): ReadNeeds {
  if (isLiteral(collection)) return NEEDS_WHOLE;
  const [own, ...others] = keyNames(collection);
  const distinct = [...new Set(values.filter((value) => value !== null))];
  const isKey = own === property && others.length === 0;
  return {
    ...NEEDS_WHOLE,
    keys: isKey ? distinct.map((value) => ({ [property]: value })) : undefined,
    conditions: [{ kind: 'in', path: pathOf(collection.entityType, property), values: distinct }],
    completed,
  };
}

/** The path by which parameters are compared with a property; an alias that is read in another way has no such path. */
function pathOf({ structuralProperties }: EntityType, name: string): readonly string[] {
  const property = structuralProperties.get(name);
  return property === undefined || property.reference !== undefined ? [name] : expressionPath(property);
}

/** Whether the list is to be called as it is, and all options are to be applied to its answer. */
export function isLiteral({ origin }: CollectionResource): boolean {
  if (origin.kind !== 'operations') return false;
  const { list, page } = origin.operations;
  return list?.literal === true || page?.literal === true;
}

/** The properties that fill the parameters of the read by key. */
function keyNames({ origin, entityType }: CollectionResource): readonly string[] {
  const { read, list } = origin.kind === 'operations' ? origin.operations : {};
  // Properties that are arguments of the list alone are in no answer to a read by key.
  if (read === undefined || list?.fixed !== undefined) return [];
  const own = read.parameters.filter(({ up = 0 }) => up === 0).map(({ property }) => property);
  return own.every((name) => entityType.structuralProperties.has(name)) ? own : [];
}

/** Only values that every API sorts alike: numbers and points in time. A proof shows where an API has null. */
function firstOrder(type: EntityType, orderBy: Options['orderBy']): FirstOrder | undefined {
  const [first] = orderBy ?? [];
  const property = first && type.structuralProperties.get(propertyName(first.expression) ?? '');
  if (first === undefined || property === undefined || property.collection) return undefined;
  const { name } = property.type;
  const isSorted = property.type.kind === 'primitive' && (isNumeric(name) || name === 'Edm.DateTimeOffset');
  return isSorted && isComparable(property.type.name)
    ? { property: property.name, descending: first.descending }
    : undefined;
}

/** The options that the operations apply by the document's declarations. */
function pushedDown(
  reader: ArgumentReader,
  { origin, entityType }: CollectionResource,
  { fixed, chosen }: Pick<ReadNeeds, 'fixed' | 'chosen'>,
  options: Options,
): PushDown | undefined {
  if (origin.kind !== 'operations') return undefined;
  const about = aboutEntities(options);
  const { list, page } = origin.operations;
  if (list?.over !== undefined && fixed === undefined) {
    const terms = about.filter === undefined ? [] : conjuncts(about.filter);
    const operations = { list: overOwners(list), page: page && overOwners(page) };
    return pushDown(reader, entityType, operations, about, terms);
  }
  const terms = termsBeside(reader, entityType, list ?? {}, about.filter);
  const isJoined = list !== undefined && isSplit(list, chosen);
  const operations = isJoined
    ? { list: overOwners(list), page: page && overOwners(page) }
    : origin.operations;
  return terms && pushDown(reader, entityType, operations, about, terms);
}

/** The lists of all owners as one: it continues behind each of them, whatever the document declares of their pages. */
function overOwners<List extends ListOperation>(list: List): List {
  return { ...list, paging: LISTS_OF_OWNERS };
}

const LISTS_OF_OWNERS: Paging = {
  size: undefined,
  ways: [],
  tells: { next: false, more: false, total: false },
  places: {},
  onward: true,
};

/** The arguments that the query fixes for the list; undefined if it needs none, or none are fixed. */
function fixedBy(
  reader: ArgumentReader,
  { origin, entityType }: CollectionResource,
  options: Options,
): FixedArguments {
  const list = origin.kind === 'operations' ? origin.operations.list : undefined;
  if (list?.fixed === undefined) return undefined;
  return fixedByFilter(reader, entityType, list, aboutEntities(options).filter);
}

/** The options about the entities themselves: those behind `$apply` are about its results. */
function aboutEntities(options: Options): Options {
  const { aliases, apply } = options;
  if (apply === undefined) return options;
  const others = apply.findIndex(({ kind }) => kind !== 'filter' && kind !== 'search');
  const first = others < 0 ? apply : apply.slice(0, others);
  const predicates = first.flatMap((each) => (each.kind === 'filter' ? [each.predicate] : []));
  const filter = predicates.reduce<Expression | undefined>(bothOf, undefined);
  return { aliases, apply, ...(filter && { filter }) };
}

function bothOf(left: Expression | undefined, right: Expression): Expression {
  if (left === undefined) return right;
  return { kind: 'binary', operator: 'and', position: left.position, left, right };
}
