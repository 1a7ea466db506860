import { type EntityType, isComparable, type NavigationProperty } from '../../model/edm.ts';
import { type ReferentialConstraints, referentialConstraints } from '../../model/link-change.ts';
import type { Model } from '../../model/model.ts';
import { conjuncts } from '../query/pipeline.ts';
import { entityByKey, relatedResource } from '../resource/navigation-source.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Expression, PathSegment } from '../tree/query-tree.ts';
import { isPrimitiveName } from '../values/primitive.ts';

type PathExpression = Extract<Expression, { readonly kind: 'path' }>;
type Aliases = ReadonlyMap<string, Expression>;

/** A term of a filter that holds for an entity if it holds for one related to it. */
export interface RelatedTerm {
  readonly term: Expression;
  readonly navigation: NavigationProperty;
  readonly pair: ReferentialConstraints;
  /** The term as a filter of the related entities. */
  readonly filter: Expression;
}

/**
 * The terms of a filter that are about entities of another set, which a foreign key relates: `Customer/Name eq 'x'`, and
 * `Orders/any(o:o/Total gt 5)`. Whether a term also holds without a related entity is left open.
 */
export function relatedTerms(
  model: Model,
  collection: CollectionResource,
  filter: Expression | undefined,
  aliases: Aliases,
): readonly RelatedTerm[] {
  const terms = filter === undefined ? [] : conjuncts(filter);
  return terms.flatMap((term): readonly RelatedTerm[] => {
    const found = anyRelated(collection.type, term) ?? behindOne(collection.type, term);
    if (found === undefined || !isSelfContained(term, aliases)) return [];
    const pair = pairOf(model, collection, found.navigation);
    return pair === undefined ? [] : [{ term, ...found, pair }];
  });
}

type Behind = Pick<RelatedTerm, 'navigation' | 'filter'>;

/** `Orders/any(o:…)`, whose predicate is about `o` alone. */
function anyRelated(type: EntityType, term: Expression): Behind | undefined {
  if (term.kind !== 'path' || isRooted(term) || term.segments.length !== 2) return undefined;
  const [first, lambda] = term.segments;
  const navigation = navigationOf(type, first);
  if (navigation?.collection !== true || lambda?.kind !== 'lambda' || lambda.operator !== 'any')
    return undefined;
  const { variable, predicate } = lambda;
  const filter =
    variable === undefined ? undefined : predicate && withoutFirst(predicate, variable, new Set());
  return filter && { navigation, filter };
}

/** A term all of whose paths lead through the same navigation property to one entity. */
function behindOne(type: EntityType, term: Expression): Behind | undefined {
  const navigation = [...type.navigationProperties.values()].find(
    ({ name, collection }) => !collection && startsAt(term, name),
  );
  const filter = navigation && withoutFirst(term, navigation.name, new Set());
  return filter && { navigation, filter };
}

function isRooted({ root, alias }: PathExpression): boolean {
  return root !== undefined || alias !== undefined;
}

function navigationOf(
  { navigationProperties }: EntityType,
  segment: PathSegment | undefined,
): NavigationProperty | undefined {
  return segment?.kind === 'name' && segment.arguments === undefined
    ? navigationProperties.get(segment.name)
    : undefined;
}

/** Whether the first path within an expression starts with the name. */
function startsAt(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('kind' in node && node.kind === 'path') {
    const [first] = (node as PathExpression).segments;
    return first?.kind === 'name' && first.name === name;
  }
  return Object.values(node).some((each) => startsAt(each, name));
}

/**
 * The expression without the first name of its paths; undefined if a path starts elsewhere, or has nothing behind that
 * name. Paths that start at a variable within stay.
 */
function withoutFirst(
  node: Expression,
  name: string,
  variables: ReadonlySet<string>,
): Expression | undefined {
  const all = (nodes: readonly Expression[]): readonly Expression[] | undefined => {
    const found = nodes.flatMap((each) => withoutFirst(each, name, variables) ?? []);
    return found.length === nodes.length ? found : undefined;
  };
  switch (node.kind) {
    case 'literal':
    case 'alias':
      return node;
    case 'list': {
      const items = all(node.items);
      return items && { ...node, items };
    }
    case 'unary': {
      const [operand] = all([node.operand]) ?? [];
      return operand && { ...node, operand };
    }
    case 'binary': {
      const [left, right] = all([node.left, node.right]) ?? [];
      return left && right && { ...node, left, right };
    }
    case 'call': {
      const found = all(node.arguments);
      return found && { ...node, arguments: found };
    }
    case 'path':
      return pathWithoutFirst(node, name, variables);
    default:
      return undefined;
  }
}

function pathWithoutFirst(
  path: PathExpression,
  name: string,
  variables: ReadonlySet<string>,
): PathExpression | undefined {
  const [first, ...rest] = path.segments;
  if (isRooted(path) || first?.kind !== 'name' || first.arguments !== undefined) return undefined;
  const isInner = variables.has(first.name);
  if (!isInner && (first.name !== name || rest.length === 0)) return undefined;
  const segments = (isInner ? path.segments : rest).flatMap((segment): readonly PathSegment[] => {
    if (segment.kind === 'name') return segment.arguments === undefined ? [segment] : [];
    if (segment.kind === 'count')
      return segment.filter === undefined && segment.search === undefined ? [segment] : [];
    if (segment.kind !== 'lambda') return [];
    const { variable, predicate } = segment;
    if (variable === undefined || predicate === undefined) return [segment];
    // A variable of the same name hides the one outside.
    if (variable === name) return [];
    const inner = withoutFirst(predicate, name, new Set([...variables, variable]));
    return inner === undefined ? [] : [{ ...segment, predicate: inner }];
  });
  return segments.length === (isInner ? path.segments : rest).length ? { ...path, segments } : undefined;
}

/** Whether its aliases are values, whatever they are used in. */
function isSelfContained(node: unknown, aliases: Aliases): boolean {
  if (typeof node !== 'object' || node === null) return true;
  if ('kind' in node && node.kind === 'alias' && 'name' in node) {
    const value = aliases.get(String(node.name));
    return value === undefined || isValue(value);
  }
  return Object.values(node).every((each) => isSelfContained(each, aliases));
}

function isValue(expression: Expression): boolean {
  return expression.kind === 'literal' || (expression.kind === 'list' && expression.items.every(isValue));
}

/** The properties with the same value in an entity and in those related to it, which are entities of a listed set. */
function pairOf(
  model: Model,
  collection: CollectionResource,
  navigation: NavigationProperty,
): ReferentialConstraints | undefined {
  const { target, origin, unreadable } = navigation;
  const isListed = target?.list !== undefined && target.list.fixed === undefined;
  if (!isListed || origin.kind === 'embedded' || unreadable === true) return undefined;
  const [pair, ...others] = joinedProperties(collection.entityType, navigation);
  if (pair === undefined || others.length > 0) return undefined;
  // A key within an object, such as the id of `driver: {id}`, is no property that a query can name.
  const isNamed = ({ structuralProperties }: EntityType, name: string): boolean => {
    const property = structuralProperties.get(name);
    return property !== undefined && property.aliasOf === undefined;
  };
  if (!isNamed(collection.entityType, pair.own) || !isNamed(navigation.entityType, pair.related))
    return undefined;
  const { resource } = relatedResource(model, entityByKey(collection, {}), navigation);
  return resource === target.name ? pair : undefined;
}

/** The pairs of properties that have the same value; a property may hold several keys. */
export function joinedProperties(
  owner: EntityType,
  navigation: NavigationProperty,
): readonly ReferentialConstraints[] {
  const { origin } = navigation;
  if (origin.kind !== 'referring') return referentialConstraints(owner, navigation);
  const { property, referencedProperty } = origin.foreignKey;
  return [{ own: referencedProperty, related: property }];
}

/** The most values of a foreign key that a list is narrowed by. */
const MOST_VALUES = 1_000;

/** Orders texts of keys, and the numbers within them by value: `m2` comes before `m10`. */
const KEY_ORDER = new Intl.Collator('en', { numeric: true });

/** The condition that a property has one of the values; undefined if there are more than narrow a list. */
export function isOneOf(
  { structuralProperties }: EntityType,
  property: string,
  values: readonly string[],
  position: number,
): Expression | undefined {
  const use = structuralProperties.get(property);
  if (use === undefined || values.length > MOST_VALUES) return undefined;
  const isPrimitive = use.type.kind === 'primitive' && isComparable(use.type.name);
  const type = isPrimitive && isPrimitiveName(use.type.name) ? use.type.name : 'Edm.String';
  // Entities that are read by key come in the order of the keys, which is not to depend on the related entities.
  const items = values
    .toSorted(KEY_ORDER.compare)
    .map((text) => ({ kind: 'literal', type, text, position }) as const);
  const pathOf = (...segments: readonly PathSegment[]): PathExpression => {
    return { kind: 'path', root: undefined, position, segments };
  };
  const name = (text: string): PathSegment => ({ kind: 'name', name: text, arguments: undefined, position });
  const oneOf = (left: Expression): Expression => {
    return { kind: 'binary', operator: 'in', position, left, right: { kind: 'list', items, position } };
  };
  if (!use.collection) return oneOf(pathOf(name(property)));
  const predicate = oneOf(pathOf(name('each')));
  return pathOf(name(property), { kind: 'lambda', operator: 'any', variable: 'each', predicate, position });
}

/** The calls that are known of a query with a condition on related entities. */
export interface RelatedCosts {
  /** The calls for the entities of the query, if nothing but this condition is left to the engine. */
  readonly owners: number;
  /** The calls for the related entities that meet the condition. */
  readonly related: number;
  /** The calls for all entities of the related set. */
  readonly target: number;
  /** The most entities of the query; undefined if it is not known. */
  readonly most: number | undefined;
  /** The keys of the related entities narrow the list, or are keys of the entities. */
  readonly isNarrowing: boolean;
  /** The query ends after so many entities. */
  readonly end: number | undefined;
}

/** The fraction of the calls that are assumed to be left where the keys of related entities narrow a list. */
const NARROWED = 1 / 5;

/** An early end is expected after so many times as many calls as it takes at best. */
const AT_RISK = 2;

/** The calls if the condition on related entities is asked first, and the query is then about their keys. */
export function callsRelatedFirst({ owners, related, isNarrowing }: RelatedCosts): number {
  return related + (isNarrowing ? Math.max(1, Math.ceil(owners * NARROWED)) : owners);
}

/** Whether asking for the related entities first takes fewer calls than reading them for the entities of the query. */
export function isRelatedFirst(costs: RelatedCosts): boolean {
  const { owners, target, most = Number.POSITIVE_INFINITY, isNarrowing, end } = costs;
  const first = callsRelatedFirst(costs);
  // A query that ends early may end on its first page; it may need some of the list as well.
  const joined =
    end === undefined ? owners + Math.min(target, most) : AT_RISK * (1 + Math.min(target, most, end));
  return isNarrowing ? first <= joined : first < joined;
}
