import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import {
  type EntitySet,
  type EntityType,
  isA,
  type NavigationProperty,
  ofLineage,
  type ValueType,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { nearName } from '../../model/names.ts';
import type { Operation } from '../../model/operation.ts';
import type { prepareRoots } from '../load/attach-related.ts';
import type { CompiledQuery } from '../pipeline/compile-query.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import { type EntityResource, notImplemented } from '../resource/resource.ts';
import type { OuterInstance } from '../scope/scope.ts';
import type { ExpandItem, QueryOptions } from '../tree/query-tree.ts';
import { findEntityType, type ModelType, qualifiedName } from '../typing/expression-type.ts';

/** An item of `$expand` with its names bound to the model (Part 2, 5.1.3). */
export interface BoundExpand {
  readonly item: ExpandItem;
  /** Only entities of this type have the property expanded: the declared one, or a type cast before it. */
  readonly owner: EntityType;
  /** The complex properties that lead from the entity to the values that have the property; empty for its own. */
  readonly within: readonly string[];
  readonly navigation: NavigationProperty;
  /** The type of the related entities: the declared one, or that of a type cast behind the property. */
  readonly type: EntityType;
  /** A type cast says the type: related entities of other ones are left out. */
  readonly isCast: boolean;
  /** True if `*` selected the property. */
  readonly isStar: boolean;
}

/** Binds all items. `*` represents the navigation properties that no other item names. */
export function bindExpand(
  model: Model,
  type: EntityType,
  items: readonly ExpandItem[],
): readonly BoundExpand[] {
  const ofEntities = items.filter((item) => streamOf(model, type, item) === undefined);
  const named = ofEntities.filter((item) => !isStar(item)).map((item) => bindNamed(model, type, item));
  assertEachOnce(named);
  const stars = items.filter(isStar).flatMap((item) => bindStar(type, item));
  const others = stars.filter((star) =>
    named.every(({ within, navigation }) => within.length > 0 || navigation.name !== star.navigation.name),
  );
  assertEachOnce(others);
  return [...named, ...others];
}

/** Under which name entities hold what is expanded. */
export function expandedName({ item, navigation }: Pick<BoundExpand, 'item' | 'navigation'>): string {
  return item.alias ?? navigation.name;
}

function isStar({ path }: ExpandItem): boolean {
  return path.length === 1 && path[0] === '*';
}

function bindStar(type: EntityType, item: ExpandItem): readonly BoundExpand[] {
  return [...type.navigationProperties.values()].map((navigation) => ({
    item,
    owner: type,
    within: [],
    navigation,
    type: targetOf(navigation, item),
    isCast: false,
    isStar: true,
  }));
}

function bindNamed(model: Model, type: EntityType, item: ExpandItem): BoundExpand {
  const { owner, path } = place(model, type, item);
  const { holder, within, name } = holderOf(owner, path);
  const navigation = holder.navigationProperties.get(name);
  const at = item.path.length - path.length + within.length;
  if (navigation === undefined) throw noNavigation(holder, name, positionIn(item, at));
  const target = targetOf(navigation, item);
  const cast = bindCast(model, target, item, at + 1);
  const shown = item.form === 'stream' ? withOwnStream(item) : item;
  return {
    item: shown,
    owner,
    within,
    navigation,
    type: cast ?? target,
    isCast: cast !== undefined,
    isStar: false,
  };
}

/** The type that has a navigation property, and the path to it: entities have some within complex values. */
function holderOf(owner: EntityType, path: readonly string[]) {
  let holder: ModelType = owner;
  let depth = 0;
  for (; depth + 1 < path.length; depth += 1) {
    const type: ValueType | undefined = holder.structuralProperties.get(path[depth] ?? '')?.type;
    if (type?.kind !== 'complex') break;
    holder = type;
  }
  return { holder, within: path.slice(0, depth), name: path[depth] ?? '' };
}

/** `Photo/$value` is Photo with its own stream. */
function withOwnStream(item: ExpandItem): ExpandItem {
  const { position } = item;
  const stream: ExpandItem = { position, path: [], form: 'stream', levels: undefined, options: undefined };
  return { ...item, form: 'entities', options: { expand: [stream] } };
}

/** The name in an item, after an optional type cast. */
function place(model: Model, type: EntityType, { path, position }: ExpandItem) {
  const [first = ''] = path;
  const before = findEntityType(model, first);
  if (before !== undefined && !isA(before, type)) throw noNavigation(type, first, position);
  return { owner: before ?? type, path: before === undefined ? path : path.slice(1) };
}

/** A stream that is shown within its entity (Part 2, 5.1.3). */
export interface BoundStream {
  /** The name of a stream property, or `$value` for a media entity's own stream. */
  readonly name: string;
  /** Only entities of this type have it. */
  readonly owner: EntityType;
  readonly get: Operation;
  /** The property that holds the media type. */
  readonly contentType: string | undefined;
}

/** Binds the items that name streams. */
export function bindStreams(
  model: Model,
  type: EntityType,
  items: readonly ExpandItem[],
): readonly BoundStream[] {
  const named = items.map((item) => ({ position: item.position, stream: streamOf(model, type, item) }));
  const streams = named.flatMap(({ stream, position }) => (stream ? [{ ...stream, position }] : []));
  const double = secondOf(streams, ({ name }) => name);
  if (double !== undefined) {
    throw badExpand(`expected each stream once, found "${double.name}" twice`, double.position);
  }
  return streams.map(({ position: _, ...stream }) => stream);
}

/** The stream that an item names; undefined for one that names none. */
function streamOf(model: Model, type: EntityType, item: ExpandItem): BoundStream | undefined {
  if (isStar(item)) return undefined;
  const { owner, path } = place(model, type, item);
  const [name = '', ...behind] = path;
  const isOwn = name === '';
  if (!isOwn && owner.structuralProperties.get(name)?.type.name !== 'Edm.Stream') return undefined;
  // `Photo/$value` is the same as `Photo` where that is a stream.
  if (behind.length > 0 || !['stream', 'entities'].includes(item.form) || item.options !== undefined) {
    throw badExpand(`expected nothing after the stream "${isOwn ? '$value' : name}"`, item.position);
  }
  const found = ofLineage(owner, ({ stream, streams }) => (isOwn ? stream : streams?.get(name)));
  if (found === undefined && isOwn)
    throw badExpand(`expected a media entity for $value, found ${qualifiedName(owner)}`, item.position);
  if (found?.get === undefined) throw notImplemented(`"${isOwn ? '$value' : name}" in $expand`, '$expand');
  return { name: isOwn ? '$value' : name, owner, get: found.get, contentType: found.contentType };
}

function targetOf(navigation: NavigationProperty, { form, position }: ExpandItem): EntityType {
  const { name, entityType, collection } = navigation;
  if (form === 'count' && !collection)
    throw badExpand(`expected a collection before /$count, found "${name}"`, position);
  return entityType;
}

/** The type cast behind a navigation property, which ends before the part of the path with the number `at`. */
function bindCast(model: Model, target: EntityType, item: ExpandItem, at: number): EntityType | undefined {
  const [name, ...more] = item.path.slice(at);
  if (name === undefined) return undefined;
  const cast = findEntityType(model, name);
  if (cast !== undefined && more.length === 0 && isA(cast, target)) return cast;
  const found = item.path.slice(at).join('/').slice(0, 100);
  const written = `${item.path.slice(0, at).join('/')}($expand=${name})`;
  const nested = target.navigationProperties.has(name) ? ` (write ${written})` : '';
  const expected = `expected a type derived from ${qualifiedName(target)}`;
  throw badExpand(`${expected}, found "${found}"${nested}`, positionIn(item, at));
}

function noNavigation(type: ModelType, found: string, position: number): GatewayError {
  const near = nearName(found, type.navigationProperties.keys());
  const meant = near === undefined ? '' : `: is "${near}" meant?`;
  const expected = `expected a navigation property of ${qualifiedName(type)}`;
  return badExpand(`${expected}, found "${found.slice(0, 100)}"`, position, meant);
}

function assertEachOnce(bound: readonly BoundExpand[]): void {
  const named = bound.map((each) => ({
    position: each.item.position,
    name: [...each.within, expandedName(each)].join('/'),
  }));
  const double = secondOf(named, ({ name }) => name);
  if (double === undefined) return;
  throw badExpand(`expected each navigation property once, found "${double.name}" twice`, double.position);
}

/** The first whose name another one before it has. */
function secondOf<Named>(all: readonly Named[], nameOf: (named: Named) => string): Named | undefined {
  const names = all.map(nameOf);
  return all.find((named, index) => names.indexOf(nameOf(named)) !== index);
}

/** The position of a name in an item's path. */
function positionIn({ path, position }: ExpandItem, index: number): number {
  return path.slice(0, index).reduce((end, name) => end + name.length + 1, position);
}

function badExpand(message: string, position: number, more = ''): GatewayError {
  return new GatewayError('BadRequest', `$expand: ${message} at position ${position}${more}`, {
    target: '$expand',
  });
}

/** Loads entities for an answer that may show parts of the collections within it; they are whole without `pages`. */
export interface ExpandLoadContext extends LoadContext {
  readonly pages?: NestedPages | undefined;
}

/** Cuts the collections within an answer into pages. */
export interface NestedPages {
  readonly cut: (
    rows: readonly Row[],
    entitySet: EntitySet | undefined,
    expanded: CompiledRelated,
    owner: EntityResource,
  ) => NestedPage;
}

/** The shown page of a nested collection. */
export interface NestedPage {
  readonly rows: readonly Row[];
  /** The link to the next page; undefined on the last page. */
  readonly nextLink: string | undefined;
}

/** The property names, resources and items that expanding takes at any level. */
interface AnyExpander {
  /** The properties that the related entities are found by. */
  readonly properties: readonly string[];
  /** The resources that the related entities are of, and whatever else is read for them. */
  readonly resources: readonly string[];
  /** The navigation properties that are expanded, in the order of the query. */
  readonly items: readonly CompiledExpand[];
  /** The names of the streams that are shown within the entities. */
  readonly streams: readonly string[];
}

/** `$expand`, compiled: adds related entities to the entities of an answer (Part 1, 11.2.5.2). */
export interface Expander extends AnyExpander {
  /** Options within read undeclared properties of the entities. */
  readonly dynamic: boolean;
  /** The entities as rows with the related entities under the names of the navigation properties. */
  readonly expand: (
    loading: ExpandLoadContext,
    entities: readonly EntityResource[],
  ) => Promise<readonly Row[]>;
}

/** The instance bound to `$it` for an entity: the one at the start of all expansions. */
export type InstanceOf = (entity: EntityResource) => Row;

/** An expander for which `$it` may be another entity than those that are expanded. */
export interface NestedExpander extends AnyExpander {
  readonly expand: (
    loading: ExpandLoadContext,
    entities: readonly EntityResource[],
    instanceOf: InstanceOf,
  ) => Promise<readonly Row[]>;
}

/** One navigation property to be expanded. */
export interface CompiledExpand extends CompiledRelated {
  /** The control information of a related collection that this expansion added. */
  readonly informationOf: (related: Value | undefined) => CollectionInformation;
}

/** The control information of a nested collection. */
export interface CollectionInformation {
  /** The count on all pages, if requested. */
  readonly count?: number | undefined;
  readonly nextLink?: string | undefined;
}

/** The compiled options for related entities. */
export interface CompiledRelated {
  readonly bound: BoundExpand;
  readonly type: EntityType;
  readonly options: Omit<NonNullable<ExpandItem['options']>, 'expand'>;
  readonly query: CompiledQuery;
  readonly nested: NestedExpander | undefined;
  /** `$it` of the options. */
  readonly outer: OuterInstance;
  /** The items that `$levels` repeats within them. */
  readonly deeper: readonly ExpandItem[];
  /** The parameter aliases that are known to the options. */
  readonly aliases: QueryOptions['aliases'];
  readonly wanted: LoadRequest;
  readonly loadRoots: ReturnType<typeof prepareRoots>;
}

/** A compiled expansion of one navigation property. */
export interface Expanded {
  readonly item: CompiledExpand;
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  /** The value of the navigation property, for each of the entities; undefined for those that have none. */
  readonly expand: (
    loading: ExpandLoadContext,
    entities: readonly EntityResource[],
    instanceOf: InstanceOf,
  ) => Promise<readonly (Value | undefined)[]>;
}
