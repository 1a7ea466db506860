import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Value } from '../../../contract/row.ts';
import { type ArgumentReader, argumentOfText, argumentValue } from '../../../engine/bind/argument-value.ts';
import { filteredBy } from '../../../engine/read/prepare-query.ts';
import {
  bindCall,
  findCallables,
  type ImpliedParameters,
  type PathContext,
} from '../../../engine/resource/bind-callable.ts';
import {
  bindKey,
  bindKeySegments,
  castTo,
  collectionOf,
  entityByKey,
  relatedResource,
  relatedWithin,
  resultResource,
  singletonResource,
} from '../../../engine/resource/navigation-source.ts';
import {
  type CollectionResource,
  type CrossjoinResource,
  type EntityResource,
  type ListedSet,
  notImplemented,
  segmentNotImplemented,
  unknownResource,
  type ValueResource,
} from '../../../engine/resource/resource.ts';
import type {
  Argument,
  Expression,
  NameSegment,
  PathSegment,
  QueryOptions,
} from '../../../engine/tree/query-tree.ts';
import { findEntityType } from '../../../engine/typing/expression-type.ts';
import {
  type CallableParameter,
  callablesBoundTo,
  type EntitySet,
  type EntityType,
  isA,
  isTransient,
  ofLineage,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { DEFAULT_URL_LIMITS } from '../../url/lexer.ts';
import { parseQueryOptions, type ResourcePath } from '../../url/request-target.ts';
import type { Service } from '../service/service.ts';
import { bindAlternateKey } from './bind-alternate-key.ts';
import { afterValue, bindDynamicProperty, bindProperty, countOf, noRawValue } from './bind-property.ts';
import type { AllResource, CountResource, Resource } from './resource.ts';

/**
 * Binds a resource path to the model (Part 2, 4). Throws NotFound for an unknown name, BadRequest for an
 * invalid key, and NotImplemented for unsupported parts of the standard.
 */
export function bindResource(
  { model, limits }: Pick<Service, 'model' | 'limits'>,
  path: ResourcePath,
  options: Pick<QueryOptions, 'aliases' | 'custom'>,
): Resource {
  switch (path.kind) {
    case 'serviceRoot':
      return { kind: 'serviceDocument' };
    case 'metadata':
      return { kind: 'metadata' };
    case 'resource':
      return bindSegments(siteOf({ model, limits }, options), path.segments);
    case 'batch':
      return { kind: 'batch' };
    case 'crossjoin':
      return bindCrossjoin(model, path);
    case 'all':
      return bindAll(model, path.typeName);
    case 'entity':
      throw notImplemented('$entity', '$entity');
  }
}

/** Accepts function parameters as custom query options (Part 2, 5.3). */
function siteOf(
  { model, limits }: Pick<Service, 'model' | 'limits'>,
  { aliases, custom = new Map() }: Pick<QueryOptions, 'aliases' | 'custom'>,
): PathContext {
  const site = { model, aliases, limits };
  return { ...site, implied: impliedParameters(site, custom) };
}

function bindSegments(site: PathContext, [first, ...rest]: readonly PathSegment[]): Resource {
  if (first?.kind !== 'name') throw unknownResource(first);
  return bindRest(site, bindRoot(site, first), rest);
}

/**
 * Binds each segment to the resource of the segments before it; a composite key has one segment per part
 * (4.3.6).
 */
function bindRest(site: PathContext, resource: Resource, segments: readonly PathSegment[]): Resource {
  const [segment, ...rest] = segments;
  if (segment === undefined) return resource;
  if (resource.kind !== 'collection' || !isKeySegment(site, resource, segment)) {
    return bindRest(site, bindNext(site, resource, segment), rest);
  }
  const { type, known } = resource;
  assertIndexable(type);
  const key = bindKeySegments(site, type, segments, known);
  return bindRest(site, entityByKey(resource, key.values), segments.slice(key.length));
}

/** Type casts and operations take precedence over keys. */
function isKeySegment(site: PathContext, collection: CollectionResource, segment: PathSegment): boolean {
  if (segment.kind !== 'name' || segment.arguments !== undefined) return false;
  const { name } = segment;
  return castTo(site.model, collection, name) === undefined && findCallables(name, collection).length === 0;
}

function bindRoot(site: PathContext, segment: NameSegment): Resource {
  const { model } = site;
  const entitySet = model.entitySets.get(segment.name);
  if (entitySet !== undefined) return withKey(site, collectionOf(entitySet), segment.arguments, segment);
  const singleton = model.singletons.get(segment.name);
  if (singleton !== undefined && segment.arguments === undefined) return singletonResource(singleton);
  const imported = model.imports.get(segment.name);
  if (imported === undefined) throw unknownResource(segment);
  return called(site, bindCall(site, imported.overloads, segment, { imported }), segment);
}

function bindNext(site: PathContext, resource: Resource, segment: PathSegment): Resource {
  switch (resource.kind) {
    case 'collection':
      return afterCollection(site, resource, segment);
    case 'entity':
      return afterEntity(site, resource, segment);
    case 'value':
      return behindComplex(site, resource, segment) ?? afterValue(resource, segment);
    case 'each':
      throw segmentNotImplemented(segment, ' of each member');
    default:
      throw unknownResource(segment);
  }
}

/** The entities that a complex value leads to; undefined for other segments. */
function behindComplex(
  site: PathContext,
  { url, use, origin }: ValueResource,
  segment: PathSegment,
): Resource | undefined {
  if (segment.kind !== 'name' || origin.kind !== 'property' || !origin.readable || use.collection)
    return undefined;
  const navigation =
    use.type.kind === 'complex' ? use.type.navigationProperties.get(segment.name) : undefined;
  if (navigation === undefined) return undefined;
  const related = relatedWithin(site.model, origin.entity, { url, within: origin.path }, navigation);
  return behindNavigation(site, related, segment);
}

/** One related entity for a key in parentheses, else all of them. */
function behindNavigation(
  site: PathContext,
  related: CollectionResource | EntityResource,
  segment: NameSegment,
): Resource {
  if (related.kind === 'collection') return withKey(site, related, segment.arguments, segment);
  if (segment.arguments !== undefined) throw unknownResource(segment);
  return related;
}

function afterCollection(site: PathContext, collection: CollectionResource, segment: PathSegment): Resource {
  switch (segment.kind) {
    case 'name':
      return afterCollectionName(site, collection, segment);
    case 'count':
      return countOf(collection, segment);
    case 'filter': {
      const filtered = filteredBy(site, collection, segment.predicate);
      return segment.key === undefined ? filtered : keyed(site, filtered, segment.key);
    }
    case 'system':
      if (segment.name === 'ref') return { kind: 'references', of: collection };
      if (segment.name === 'each') return { kind: 'each', of: collection };
      throw segment.name === 'value' ? noRawValue() : unknownResource(segment);
    default:
      throw segmentNotImplemented(segment);
  }
}

function afterCollectionName(
  site: PathContext,
  collection: CollectionResource,
  segment: NameSegment,
): Resource {
  const cast = castOnce(site, collection, segment.name);
  if (cast !== undefined) return withKey(site, cast, segment.arguments, segment);
  const overloads = findCallables(segment.name, collection);
  if (overloads.length > 0) return called(site, bindCall(site, overloads, segment, { collection }), segment);
  throw unknownResource(segment);
}

/** Consecutive casts must narrow the type (4.11), so a repeated cast is a mistake. */
function castOnce<Resource extends CollectionResource | EntityResource>(
  site: PathContext,
  resource: Resource,
  name: string,
): Resource | undefined {
  const cast = castTo(site.model, resource, name);
  if (cast === undefined || !resource.url.endsWith(`/${cast.type.namespace}.${cast.type.name}`)) return cast;
  const message = `resource path: expected each type cast once, found ${name} twice in a row`;
  throw new GatewayError('BadRequest', message);
}

function withKey(
  site: PathContext,
  collection: CollectionResource,
  predicate: readonly Argument[] | undefined,
  segment: NameSegment,
): Resource {
  if (segment.key !== undefined) throw unknownResource(segment);
  return predicate === undefined ? collection : keyed(site, collection, predicate);
}

function keyed(
  site: PathContext,
  collection: CollectionResource,
  predicate: readonly Argument[],
): EntityResource {
  const alternate = bindAlternateKey(site, collection, predicate);
  if (alternate !== undefined) return alternate;
  const { type } = collection;
  assertIndexable(type);
  return entityByKey(collection, bindKey(site, type, predicate, collection.known));
}

/** Rejects keys of transient entities (Part 1, 4.1): rows that are read anew may have other ones. */
function assertIndexable(type: EntityType): void {
  if (!isTransient(type)) return;
  const message = `${type.name}: its entities have no identity, so that no key leads to one; $filter finds them.`;
  throw new GatewayError('NotFound', message, { target: type.name });
}

function afterEntity(site: PathContext, entity: EntityResource, segment: PathSegment): Resource {
  if (segment.kind === 'name') return afterEntityName(site, entity, segment);
  if (segment.kind === 'annotation') throw segmentNotImplemented(segment);
  if (segment.kind !== 'system') throw unknownResource(segment);
  if (segment.name === 'ref') return { kind: 'references', of: entity };
  if (segment.name !== 'value') throw unknownResource(segment);
  const operations = ofLineage(entity.type, ({ stream }) => stream);
  if (operations === undefined) throw noRawValue();
  return { kind: 'stream', origin: { kind: 'entity', entity, operations } };
}

function afterEntityName(site: PathContext, entity: EntityResource, segment: NameSegment): Resource {
  const { type } = entity;
  const named = type.structuralProperties.get(segment.name);
  const property = named?.aliasOf === undefined ? named : undefined;
  if (property !== undefined && segment.arguments === undefined) return bindProperty(entity, property);
  const navigation = type.navigationProperties.get(segment.name);
  if (navigation !== undefined) {
    return behindNavigation(site, relatedResource(site.model, entity, navigation), segment);
  }
  const cast = segment.arguments === undefined ? castOnce(site, entity, segment.name) : undefined;
  if (cast !== undefined) return cast;
  const overloads = findCallables(segment.name, entity);
  if (overloads.length > 0) return called(site, bindCall(site, overloads, segment, { entity }), segment);
  const dynamic = bindDynamicProperty(entity, segment);
  if (dynamic === undefined) throw unknownResource(segment, namesBehind(entity));
  return dynamic;
}

/** The names that may follow the entity: properties and bound operations. */
function namesBehind({ type }: EntityResource): readonly string[] {
  const bound = callablesBoundTo(type, 'entity');
  const properties = [...type.structuralProperties.values()].filter(({ aliasOf }) => aliasOf === undefined);
  return [...properties, ...type.navigationProperties.values(), ...bound].map(({ name }) => name);
}

/** Actions end the path; the result of a function may be followed by segments (4.5). */
function called(site: PathContext, call: ReturnType<typeof bindCall>, segment: NameSegment): Resource {
  if (call.callable.kind === 'action') return { kind: 'action', call };
  const result = resultResource(call);
  if (segment.key === undefined) return result;
  if (result.kind !== 'collection') throw unknownResource(segment);
  return keyed(site, result, segment.key);
}

/**
 * All entities of the service (Part 2, 4.14), from the sets that can be read without a filter. For a type in
 * a single set, this is the set itself.
 */
function bindAll(model: Model, typeName: string | undefined): AllResource | CollectionResource {
  const sets = [...model.entitySets.values()].filter(isListedWhole).map(collectionOf);
  if (typeName === undefined) return { kind: 'all', type: undefined, collections: sets };
  const type = model.entityTypes.get(typeName) ?? findEntityType(model, typeName);
  if (type === undefined) throw new GatewayError('NotFound', `There is no entity type "${typeName}" here.`);
  const collections = sets.flatMap((set) => ofType(model, set, type) ?? []);
  const [only, another] = collections;
  return only !== undefined && another === undefined ? only : { kind: 'all', type, collections };
}

/** Excludes sets whose list needs a filter or is read through its owners. */
function isListedWhole({ list }: EntitySet): boolean {
  return list !== undefined && list.over === undefined && (list.fixed ?? []).length === 0;
}

function ofType(model: Model, set: CollectionResource, type: EntityType): CollectionResource | undefined {
  if (isA(set.entityType, type)) return set;
  return castTo(model, set, `${type.namespace}.${type.name}`);
}

interface CrossjoinPath {
  readonly entitySets: readonly string[];
  readonly segments: readonly PathSegment[];
}

/** The combinations of the entities of several sets (Part 2, 4.15), or their count. */
function bindCrossjoin(
  model: Model,
  { entitySets: names, segments: [segment] }: CrossjoinPath,
): CrossjoinResource | CountResource {
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined)
    throw new GatewayError(
      'BadRequest',
      `$crossjoin: expected each entity set once, found "${double}" twice.`,
    );
  const sets = names.map((name) => listedSet(model, name));
  const crossjoin: CrossjoinResource = { kind: 'crossjoin', sets };
  if (segment === undefined) return crossjoin;
  if (segment.kind !== 'count') throw unknownResource(segment);
  return countOf(crossjoin, segment);
}

function listedSet(model: Model, name: string): ListedSet {
  const set = model.entitySets.get(name);
  if (set === undefined) throw unknownResource({ kind: 'name', position: 0, name, arguments: undefined });
  const { list } = set;
  if (list === undefined)
    throw notImplemented(`$crossjoin of "${name}", which the upstream does not list,`, name);
  return { ...set, list };
}

/**
 * Parameters that are passed as query options, with or without the sign of an alias, each once (Part 1,
 * 11.5.4.1.1).
 */
function impliedParameters(
  reader: ArgumentReader,
  custom: ReadonlyMap<string, readonly string[]>,
): ImpliedParameters {
  return {
    names: [...reader.aliases.keys(), ...custom.keys()],
    valueOf(parameter, subject) {
      const written = reader.aliases.get(parameter.name);
      const [text, ...others] = custom.get(parameter.name) ?? [];
      const isTwice = others.length > 0 || (text !== undefined && written !== undefined);
      if (isTwice) throw givenTwice(parameter.name);
      if (written !== undefined) return argumentValue(reader, parameter, written, subject);
      return text === undefined ? undefined : impliedValue(reader, parameter, text, subject);
    },
  };
}

function givenTwice(name: string): GatewayError {
  const message = `${name}: expected to be given once, found it twice`;
  return new GatewayError('BadRequest', message, { target: name });
}

/**
 * The value of a parameter that is passed as a query option, like an alias without its sign (Part 2, 5.3).
 * Clients often omit the quotes, so a text that is not a literal is taken as a string.
 */
function impliedValue(
  reader: ArgumentReader,
  parameter: CallableParameter,
  text: string,
  subject: string,
): Value {
  const written = text === '' ? undefined : parsedValue(text);
  const value = written && unlessRefused(() => argumentValue(reader, parameter, written, subject));
  return value === undefined ? argumentOfText(reader, parameter, text, subject) : value;
}

function parsedValue(text: string): Expression | undefined {
  const alias = `@value=${encodeURIComponent(text)}`;
  return unlessRefused(() => parseQueryOptions(alias, DEFAULT_URL_LIMITS).aliases.get('value'));
}

function unlessRefused<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
