import type { Arguments, JointLists } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { matchesSafely, safeRegExp } from '../../core/safe-regexp.ts';
import { mapped } from '../../core/work.ts';
import type { EntityType, TypeUse } from '../../model/edm.ts';
import type {
  ListOperation,
  ListOwners,
  Operation,
  OperationParameter,
  PagedListOperation,
  Paging,
} from '../../model/operation.ts';
import { allows } from '../../model/type-use.ts';
import { type ArgumentReader, argumentValue } from '../bind/argument-value.ts';
import { conjuncts, readsFrom } from '../query/pipeline.ts';
import type { FixedArguments, LoadContext, LoadRequest, PushDown } from '../resource/load-context.ts';
import { collectionOf } from '../resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import type { Expression, OrderByItem, QueryOptions, SystemQueryOptions } from '../tree/query-tree.ts';

type Options = Pick<
  SystemQueryOptions,
  'search' | 'orderBy' | 'top' | 'skip' | 'apply' | 'count' | 'compute'
>;

interface ListOperations {
  readonly list?: ListOperation | undefined;
  /** Undefined where the document says of no list that it can do some of the work. */
  readonly page?: PagedListOperation | undefined;
}

/**
 * Finds what a list operation can do of a query over all entities of a type. `terms` are those of `$filter` that are left
 * to do.
 */
function pushDown(
  reader: ArgumentReader,
  type: EntityType,
  { list, page }: ListOperations,
  options: Options,
  terms: readonly Expression[],
): PushDown | undefined {
  const operation = page ?? list;
  if (operation === undefined) return undefined;
  const { found, isWhole } = filterArguments(reader, type, page, terms);
  const order = orderArgument(type, page, options.orderBy);
  const isInOrder = options.orderBy === undefined || order !== undefined;
  const isOfList = isWhole && isInOrder && options.search === undefined && options.apply === undefined;
  const { top, skip = 0, count = false } = options;
  const { paging } = operation;
  // A list whose document says nothing of pages may come in pages all the same.
  const isOnward = paging?.onward ?? true;
  const isTold = paging?.tells.total === true;
  const goesOn = isOfList && isOnward && top !== 0 && (!count || isTold);
  const wantsPart = top !== undefined || skip > 0;
  const isPaged = goesOn || (isOfList && wantsPart && (isOnward || hasPage(page, options)));
  const isPart = isPaged && wantsPart;
  const counted = count && (top === 0 || !isTold);
  return {
    arguments: { ...found, ...order },
    part: isPart ? { top, skip, mayBeShort: false, ...(counted && { counted }) } : undefined,
    isPaged,
    isCounted: isPaged && count,
    goesOn,
    tellsPages: paging !== undefined,
  };
}

/** Whether a page is asked for of a list whose document says, by `x-odata`, by which parameters a part of it is had. */
function hasPage(page: PagedListOperation | undefined, options: Options): boolean {
  const { paging } = page ?? {};
  if (paging === undefined) return false;
  // Its number is all that is wanted of it.
  if (options.top === 0) return options.count === true && paging.tells.total;
  if (options.top !== undefined && paging.size === undefined) return false;
  const canSkip = paging.ways.some(({ kind }) => kind === 'offset' || kind === 'page');
  if (options.skip !== undefined && options.skip > 0 && !canSkip) return false;
  return options.count !== true || paging.tells.total;
}

interface FilterArguments {
  readonly found: Arguments;
  /** Nothing of `$filter` is left. */
  readonly isWhole: boolean;
}

/** Terms `Property eq literal`, joined by `and`, of properties that the operation has a parameter for. */
function filterArguments(
  reader: ArgumentReader,
  type: EntityType,
  operation: PagedListOperation | undefined,
  terms: readonly Expression[],
): FilterArguments {
  const found: Record<string, Value> = {};
  let isWhole = true;
  for (const term of terms) {
    const argument = operation && termArgument(reader, type, operation, term);
    if (argument === undefined || argument.parameter in found) isWhole = false;
    else found[argument.parameter] = argument.value;
  }
  return { found, isWhole };
}

function termArgument(
  reader: ArgumentReader,
  type: EntityType,
  { filters }: PagedListOperation,
  term: Expression,
): { readonly parameter: string; readonly value: Value } | undefined {
  const { name, equal } = equality(term) ?? {};
  const parameter = name === undefined ? undefined : filters.get(name);
  const property = name === undefined ? undefined : type.structuralProperties.get(name);
  const value = property && equal && literalValue(reader, property, equal);
  if (parameter === undefined || property === undefined || value === undefined || value === null)
    return undefined;
  const isAllowed = allows(parameter.values, upstreamText(property, value), matches);
  return isAllowed ? { parameter: parameter.name, value } : undefined;
}

/** A property and what it is to be equal to, on whichever side of `eq` it stands. */
function equality(term: Expression): { readonly name: string; readonly equal: Expression } | undefined {
  if (term.kind !== 'binary' || term.operator !== 'eq') return undefined;
  const [left, right] = [propertyName(term.left), propertyName(term.right)];
  if (left !== undefined) return { name: left, equal: term.right };
  return right === undefined ? undefined : { name: right, equal: term.left };
}

/** The property that a path is; undefined for any other expression. */
function propertyName(expression: Expression): string | undefined {
  if (expression.kind !== 'path' || expression.root !== undefined || expression.alias !== undefined) {
    return undefined;
  }
  const [first, ...rest] = expression.segments;
  return first?.kind === 'name' && first.arguments === undefined && rest.length === 0
    ? first.name
    : undefined;
}

function matches(pattern: string, text: string): boolean {
  const expression = safeRegExp(pattern, '');
  return expression !== undefined && matchesSafely(expression, text) === true;
}

/** The text of a value as it is sent: a member of an enumeration has a value of the upstream's. */
function upstreamText({ type }: TypeUse, value: Value): string {
  const members = type.kind === 'enumeration' ? type.members : undefined;
  return String(members?.find(({ name }) => name === value)?.upstreamValue ?? value);
}

/** The properties' upstream names, separated by commas, each with ` desc` where the order is descending. */
function orderArgument(
  type: EntityType,
  operation: PagedListOperation | undefined,
  items: readonly OrderByItem[] | undefined,
): Arguments | undefined {
  const parameter = operation?.orderBy;
  if (parameter === undefined || items === undefined) return undefined;
  const terms = items.map(({ expression, descending }) => {
    const property = type.structuralProperties.get(propertyName(expression) ?? '');
    // Members of an enumeration are sorted by their numbers, of which the upstream knows nothing.
    if (property?.type.kind === 'enumeration') return undefined;
    return property && `${property.upstreamName}${descending ? ' desc' : ''}`;
  });
  const order = terms.join(',');
  const isAllowed = terms.every((term) => term !== undefined) && allows(parameter.values, order, matches);
  return isAllowed ? { [parameter.name]: order } : undefined;
}

/** The most calls that one filter may ask for. */
const MOST_CALLS = 100;

/**
 * What a filter fixes of a list's parameters (Capabilities.FilterRestrictions/RequiredProperties): the values of
 * terms `Property eq value` and `Property in (…)`, or several of them joined by `or`, that all entities must fulfil,
 * in all combinations.
 */
function fixedByFilter(
  reader: ArgumentReader,
  type: EntityType,
  { fixed = [] }: ListOperation,
  filter: Expression | undefined,
): FixedArguments {
  const terms = filter === undefined ? [] : conjuncts(filter);
  let combined: readonly Arguments[] = [{}];
  for (const { name, property } of fixed) {
    const values = terms.flatMap((term) => valuesOf(reader, type, property, term) ?? []);
    const [first] = values;
    if (first === undefined) return undefined;
    for (const value of first) assertAllowed(type, property, value);
    combined = combined.flatMap((before) => first.map((value) => ({ ...before, [name]: value })));
    if (combined.length > MOST_CALLS) throw tooManyCalls();
  }
  return combined;
}

/**
 * The terms of a filter but those that only fix what the list is called with: what it answers fulfils these, as they are
 * about nothing but the call. Undefined where the list has to be called more than once.
 */
function termsBeside(
  reader: ArgumentReader,
  type: EntityType,
  { fixed = [] }: Pick<ListOperation, 'fixed'>,
  filter: Expression | undefined,
): readonly Expression[] | undefined {
  let left = filter === undefined ? [] : conjuncts(filter);
  for (const { property } of fixed) {
    const found = left.find((term) => valuesOf(reader, type, property, term) !== undefined);
    const [values = []] = (found && valuesOf(reader, type, property, found)) ?? [];
    if (values.length !== 1) return undefined;
    if (type.structuralProperties.get(property)?.argument === true)
      left = left.filter((term) => term !== found);
  }
  return left;
}

/** What the key of an entity says of the parameters of the list that it is in. */
export function fixedByKey({ fixed = [] }: ListOperation, key: Row): FixedArguments {
  const values = fixed.map(({ name, property }) => [name, key[property] ?? null] as const);
  return values.some(([, value]) => value === null) ? undefined : [Object.fromEntries(values)];
}

/** The values of a property that a term accepts; undefined where it is no term that says them. */
function valuesOf(
  reader: ArgumentReader,
  type: EntityType,
  property: string,
  term: Expression,
): readonly [readonly Value[]] | undefined {
  if (term.kind !== 'binary') return undefined;
  if (term.operator === 'or') return eitherValues(reader, type, property, term);
  const use = type.structuralProperties.get(property);
  const { name, equal } = equality(term) ?? { name: propertyName(term.left), equal: undefined };
  const written = equal === undefined ? listed(term) : [equal];
  if (name !== property || use === undefined || written === undefined) return undefined;
  const values = written.map((each) => literalValue(reader, use, each));
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length < values.length ? undefined : [[...new Set(known)]];
}

type BinaryExpression = Extract<Expression, { kind: 'binary' }>;

/** What one of two conditions accepts, where both of them say it. */
function eitherValues(
  reader: ArgumentReader,
  type: EntityType,
  property: string,
  { left, right }: BinaryExpression,
): readonly [readonly Value[]] | undefined {
  const [one] = valuesOf(reader, type, property, left) ?? [];
  const [other] = one === undefined ? [] : (valuesOf(reader, type, property, right) ?? []);
  return one === undefined || other === undefined ? undefined : [[...new Set([...one, ...other])]];
}

/** What the upstream does not take is a mistake of the filter's, not a list without entities. */
function assertAllowed({ structuralProperties }: EntityType, property: string, value: Value): void {
  const allowed = structuralProperties.get(property)?.facets.allowedValues;
  if (allowed === undefined || allowed.some((each) => each === value)) return;
  const values = allowed.slice(0, 20).join(', ');
  const message = `$filter: expected ${property} to be one of ${values}${allowed.length > 20 ? ', …' : ''}`;
  throw new GatewayError('BadRequest', message, { target: '$filter' });
}

/** What a term lists behind `in`. */
function listed({ operator, right }: BinaryExpression): readonly Expression[] | undefined {
  return operator === 'in' && right.kind === 'list' ? right.items : undefined;
}

function literalValue(
  reader: ArgumentReader,
  use: Parameters<typeof argumentValue>[1],
  expression: Expression,
): Value | undefined {
  try {
    return argumentValue(reader, use, expression, '$filter');
  } catch {
    // Whatever is wrong with it, the query itself says so when it is compiled.
    return undefined;
  }
}

function tooManyCalls(): GatewayError {
  const message = `$filter: expected at most ${MOST_CALLS} combinations of values for the properties that it must fix`;
  return new GatewayError('BadRequest', message, { target: '$filter' });
}

/** What the upstream can do of the query; of an unfiltered collection without a type cast. */
export function pushedDown(
  reader: ArgumentReader,
  collection: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
): PushDown | undefined {
  const { origin, entityType, isCast } = collection;
  if (origin.kind !== 'operations' || isCast) return undefined;
  // What all entities come to needs all of them.
  if (readsFrom('$these', options)) return undefined;
  const about = aboutEntities(options);
  const { list, page } = origin.operations;
  const fixed = fixedBy(reader, collection, options);
  if (list?.over !== undefined && fixed === undefined) {
    const terms = about.filter === undefined ? [] : conjuncts(about.filter);
    return pushDown(
      reader,
      entityType,
      { list: overOwners(list), page: page && overOwners(page) },
      about,
      terms,
    );
  }
  const terms = termsBeside(reader, entityType, list ?? {}, about.filter);
  return terms && pushDown(reader, entityType, origin.operations, about, terms);
}

/** The lists of all owners as one: it goes on behind each of them, whatever the document says of their pages. */
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

/** What the query fixes of what the list must be given; undefined where it needs nothing, or nothing is fixed. */
export function fixedBy(
  reader: ArgumentReader,
  { origin, entityType }: CollectionResource,
  options: Omit<QueryOptions, 'expand'>,
): FixedArguments {
  const list = origin.kind === 'operations' ? origin.operations.list : undefined;
  if (list?.fixed === undefined) return undefined;
  return fixedByFilter(reader, entityType, list, aboutEntities(options).filter);
}

/** What is said of the entities themselves: the options behind `$apply` are about its results. */
function aboutEntities(options: Omit<QueryOptions, 'expand'>): Omit<QueryOptions, 'expand'> {
  const { aliases, apply } = options;
  if (apply === undefined) return options;
  const [first] = apply;
  return { aliases, apply, ...(first?.kind === 'filter' && { filter: first.predicate }) };
}

/** The error for a read of entities that nothing leads to but a filter. */
function unfixed(
  { entityType, url }: CollectionResource,
  fixed: readonly OperationParameter[],
): GatewayError {
  const properties = fixed.map(({ property }) => property);
  const example = properties.map((name) => `${name} eq ${sample(entityType, name)}`).join(' and ');
  const message = `${decodeURIComponent(url)}: expected a $filter that fixes ${properties.join(' and ')}, such as $filter=${example}`;
  return new GatewayError('BadRequest', message, { target: '$filter' });
}

function sample({ structuralProperties }: EntityType, property: string): string {
  const name = structuralProperties.get(property)?.type.name ?? '';
  return /Int|Decimal|Double|Single|Byte/.test(name) ? '1' : name === 'Edm.String' ? "'x'" : '…';
}

/** Loads all entities of a collection. */
type LoadRows = (
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
) => Promise<{ readonly data: Rows }>;

/**
 * The lists that the parameters of a list leave, which nothing but a query can fix: those that the query fixes, else that
 * of each entity of the set that has them.
 */
export async function jointLists(
  loading: LoadContext,
  collection: CollectionResource,
  { fixed: parameters = [], over }: ListOperation,
  { fixed }: LoadRequest,
  load: LoadRows,
): Promise<JointLists> {
  if (fixed !== undefined) return { each: fixed, missing: over === undefined ? 'error' : 'empty' };
  const owners = over && collectionOver(loading, over);
  if (over === undefined || owners === undefined) throw unfixed(collection, parameters);
  const properties = over.parameters.map(({ property }) => property);
  const { data } = await load(loading, owners, { properties, dynamic: false });
  return { each: await argumentsOf(loading, data, over), missing: 'lenient' };
}

function collectionOver({ service }: LoadContext, { entitySet }: ListOwners): CollectionResource | undefined {
  const owners = service.model.entitySets.get(entitySet);
  return owners && collectionOf(owners);
}

/** What the list of each owner is asked for by, each once. */
async function argumentsOf(
  { context: { budget } }: LoadContext,
  owners: Rows,
  { parameters }: ListOwners,
): Promise<readonly Arguments[]> {
  const all = await budget.run(mapped(owners, budget, (owner) => argumentsFor(owner, parameters)));
  const distinct = new Map(all.map((each) => [JSON.stringify(Object.values(each).map(String)), each]));
  return [...distinct.values()].filter((each) => !Object.values(each).includes(null));
}

function argumentsFor(owner: Row, parameters: ListOwners['parameters']): Arguments {
  const values = parameters.map(({ name, property }): [string, Value] => [name, owner[property] ?? null]);
  return Object.fromEntries(values);
}

/** Reads properties of an entity as they are now. */
type ReadProperties = (entity: EntityResource, properties: readonly string[]) => Promise<Row>;

/**
 * The values of an operation's parameters: properties of the entities along the resource path, which ends
 * with `last`. What the URL does not say is read. Undefined where one of them is null.
 */
export async function argumentsAlong(
  { parameters }: Operation,
  last: EntityResource | undefined,
  read: ReadProperties,
): Promise<Arguments | undefined> {
  const values: Record<string, Value> = {};
  for (const [up, wanted] of Map.groupBy(parameters, (parameter) => parameter.up ?? 0)) {
    const properties = wanted.map(({ property }) => property);
    const row = await propertiesOf(ancestor(last, up), properties, read);
    for (const { name, property } of wanted) {
      const value = row[property] ?? null;
      if (value === null) return undefined;
      values[name] = value;
    }
  }
  return values;
}

function ancestor(entity: EntityResource | undefined, up: number): EntityResource | undefined {
  let found = entity;
  for (let step = 0; step < up; step += 1) found = found?.parent;
  return found;
}

/** The properties of an entity of the path: from the URL where it says them all, else read. */
async function propertiesOf(
  entity: EntityResource | undefined,
  properties: readonly string[],
  read: ReadProperties,
): Promise<Row> {
  if (entity === undefined) throw new Error(`No entity of the path fills parameters with ${properties}`);
  const { known } = entity;
  return properties.every((property) => known[property] !== undefined) ? known : read(entity, properties);
}
