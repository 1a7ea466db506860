import type { NavigationPlace } from '../../model/edm.ts';
import { pascalCase, singularOf } from '../../model/names.ts';
import type { Schema } from '../../openapi/schemas/schema.ts';
import {
  answerSchema,
  entityAnswer,
  isCallable,
  isCalledByName,
  isPartOfSet,
  isRecord,
  type ListAnswer,
  listAnswer,
} from '../answers/list-answer.ts';
import type { EntityPlan, EntityPlanner } from '../edm-types/entity-plan.ts';
import { KEY_OF_ROWS } from '../edm-types/row-key.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, PathSegment } from '../operations/document-operation.ts';
import {
  type ItemChanges,
  type ItemReads,
  itemChanges,
  itemRead,
  listedChanges,
  NO_CHANGES,
  type OperationIndex,
  pathKey,
  plainInsert,
  templateOf,
  type WholeSchemas,
} from '../sets/entity-set-plan.ts';
import { reportRows, rowsOf, rowTypeNamesAt } from '../sets/filtered-set-plan.ts';
import {
  calling,
  changing,
  entityPlace,
  fillParameters,
  insertion,
  listedPlace,
  listing,
  type Place,
  reading,
} from '../sets/model-operation.ts';
import { entityPath } from '../sets/set-name.ts';

/** A navigation property that the paths below an entity's path make. */
export interface PathNavigation {
  /** The identity of the schema whose type has it. */
  readonly owner: string;
  /** Its name, and the one that it has where another property has that. */
  readonly names: NameChoice;
  readonly related: EntityPlan;
  readonly collection: boolean;
  readonly containsTarget: boolean;
  readonly place: NavigationPlace;
  readonly at: DocumentOperation;
}

export interface PathNavigations {
  readonly navigations: readonly PathNavigation[];
  /** The places that were given, and those of contained entities. */
  readonly places: readonly Place[];
}

export interface NavigationSearch {
  readonly derivation: Derivation;
  readonly planner: EntityPlanner;
  readonly index: OperationIndex;
  /** GETs whose path ends with parameters, by the path before these. */
  readonly items: ItemReads;
  /** GETs whose path ends with literals behind a parameter, by the path up to that. */
  readonly children: ReadonlyMap<string, readonly DocumentOperation[]>;
  readonly used: Set<DocumentOperation>;
  /** The entities that are in an entity set. */
  readonly inSets: ReadonlySet<string>;
  /** The types whose set is a singleton's own: another entity's, at a path of its own, are not in it. */
  readonly owned: ReadonlySet<string>;
  readonly whole: WholeSchemas;
  /** Whether rows without a key are taken, and not only entities with one. */
  readonly takesRows: boolean;
}

/** Maximum depth of containment. */
const DEEPEST = 8;

/**
 * Finds the navigation properties that paths make: a GET below an entity's path that returns a list of entities, or one
 * entity of a set. Entities that are in no set are contained (CSDL 4.01, 8.4), and may contain others.
 */
export function findPathNavigations(search: NavigationSearch, roots: readonly Place[]): PathNavigations {
  const navigations: PathNavigation[] = [];
  const places: Place[] = [];
  const queue = [...roots];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    places.push(place);
    for (const operation of search.children.get(templateOf(place.segments)) ?? []) {
      const found = search.used.has(operation) ? undefined : navigationAt(search, place, operation);
      if (found === undefined) continue;
      navigations.push(found.navigation);
      if (found.place !== undefined && found.place.length <= DEEPEST) queue.push(found.place);
    }
  }
  return { navigations, places };
}

/** GETs whose path has literals behind the path of one entity, by that path; a singleton's is one of literals alone. */
export function childrenByParent(
  index: OperationIndex,
  singletons: ReadonlySet<string>,
): ReadonlyMap<string, readonly DocumentOperation[]> {
  const gets = [...index.values()].flatMap((methods) => methods.get('get') ?? []);
  const children = gets.flatMap((operation) => {
    const parent = parentPath(operation.segments, singletons);
    return parent === undefined ? [] : [{ parent, operation }];
  });
  const byParent = Map.groupBy(children, ({ parent }) => parent);
  return new Map([...byParent].map(([parent, found]) => [parent, found.map(({ operation }) => operation)]));
}

function parentPath(segments: readonly PathSegment[], singletons: ReadonlySet<string>): string | undefined {
  if (segments.at(-1)?.kind !== 'literal') return undefined;
  const own = segments.slice(0, segments.findLastIndex(({ kind }) => kind === 'parameter') + 1);
  if (own.length > 0) return templateOf(own);
  const parent = templateOf(segments.slice(0, -1));
  return singletons.has(parent) ? parent : undefined;
}

interface Found {
  readonly navigation: PathNavigation;
  readonly place: Place | undefined;
}

function navigationAt(
  search: NavigationSearch,
  place: Place,
  operation: DocumentOperation,
): Found | undefined {
  const below = operation.segments.slice(place.segments.length);
  const literals = below.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : []));
  const name = pascalCase(literals.join(' '));
  if (name === undefined || !isCallable(operation) || fillParameters(place, operation) === undefined)
    return undefined;
  if (isCalledByName(operation) || isPartOfSet(operation)) return undefined;
  const list = listAnswer(search.derivation, operation);
  if (list?.isAll === true && isRecord(search.derivation, list.item)) {
    return collectionAt(search, place, name, list);
  }
  const schema = literals.length === 1 ? answerSchema(search.derivation, operation) : undefined;
  return schema === undefined ? undefined : singleAt(search, place, name, operation, schema);
}

function singleAt(
  { derivation, planner, used, inSets }: NavigationSearch,
  place: Place,
  name: string,
  operation: DocumentOperation,
  schema: Schema,
): Found | undefined {
  const related = planner.plans.get(schema.identity);
  const parameters = fillParameters(place, operation);
  if (related === undefined || parameters === undefined || !inSets.has(schema.identity)) return undefined;
  used.add(operation);
  const at = { ...emptyPlace(`${place.resource}/${name}`), read: calling(derivation, operation, parameters) };
  const owner = place.entity.schema.identity;
  const navigation = {
    owner,
    names: namesBelow(place, name),
    related,
    collection: false,
    containsTarget: false,
    place: at,
    at: operation,
  };
  return { navigation, place: undefined };
}

function collectionAt(
  search: NavigationSearch,
  place: Place,
  name: string,
  list: ListAnswer,
): Found | undefined {
  const { derivation, used, inSets, owned } = search;
  const parameters = fillParameters(place, list.operation);
  const found = relatedEntities(search, place, list);
  if (found === undefined || parameters === undefined) return undefined;
  const { related, read } = found;
  const { identity } = related.schema;
  const contained = !inSets.has(identity) || (owned.has(identity) && read !== undefined);
  const resource = `${place.resource}/${name}`;
  const below =
    read === undefined
      ? listedPlace(resource, related, list.operation, place)
      : entityPlace(resource, related, read, place);
  const operations = operationsOf(search, list, read, related, contained ? below : undefined);
  for (const operation of operations.all) used.add(operation);
  const parametersOf = (operation: DocumentOperation) => (below && fillParameters(below, operation)) ?? [];
  const keyed = (operation: DocumentOperation) => calling(derivation, operation, parametersOf(operation));
  const at: NavigationPlace = {
    path: resource,
    list: listing(derivation, list, parameters, related),
    read: read && reading(derivation, read, related.schema, parametersOf(read)),
    insert: operations.insert && insertion(derivation, operations.insert, related, parameters),
    update: operations.change && changing(derivation, operations.change, related, parametersOf),
    delete: operations.remove && keyed(operations.remove),
  };
  return {
    navigation: {
      owner: place.entity.schema.identity,
      names: namesBelow(place, name),
      related,
      collection: true,
      containsTarget: contained,
      place: at,
      at: list.operation,
    },
    place: contained && related.keyRule !== KEY_OF_ROWS ? below : undefined,
  };
}

/** `Refunds` below a charge, or `ChargeRefunds`. */
function namesBelow({ segments }: Place, name: string): NameChoice {
  const collection = segments.findLast(({ kind }) => kind === 'literal');
  const owner = collection?.kind === 'literal' ? singularOf(collection.text) : '';
  return [name, pascalCase(`${owner} ${name}`) ?? name];
}

interface RelatedEntities {
  readonly related: EntityPlan;
  /** The GET below the list's path that returns one of them by parameters. */
  readonly read: DocumentOperation | undefined;
}

/** The type of the listed entities: one that is in a set, or one with a key of its own, below the path or in the list. */
function relatedEntities(
  search: NavigationSearch,
  place: Place,
  list: ListAnswer,
): RelatedEntities | undefined {
  const { derivation, planner, items, inSets, owned, whole } = search;
  const { operation, item } = list;
  if (item.hidden) return undefined;
  const found = itemRead(derivation, items, list);
  const isBelow = found.read !== undefined && fillParameters(place, found.read) !== undefined;
  const known = planner.plans.get((whole.get(item.identity) ?? item).identity);
  if (known !== undefined && inSets.has(known.schema.identity) && !owned.has(known.schema.identity)) {
    const isSame = isBelow && entityAnswer(derivation, found.read, known.schema) !== undefined;
    return { related: known, read: isSame ? found.read : undefined };
  }
  if (found.read !== undefined && isBelow) {
    const own = found.read.segments.slice(operation.segments.length);
    const path = entityPath(derivation, operation.segments, own);
    const related = planner.keyed(found.schema, path, found.read.node);
    if (related !== undefined) return { related, read: found.read };
  }
  const related =
    planner.keyed(item, entityPath(derivation, operation.segments, []), operation.node) ??
    rowsBelow(search, list);
  return related && { related, read: undefined };
}

/** The type of rows without a key. */
function rowsBelow(search: NavigationSearch, list: ListAnswer): EntityPlan | undefined {
  const { derivation, planner } = search;
  const rows = rowsOf(search, list);
  if (rows === undefined) return undefined;
  reportRows(derivation, list.operation);
  const { identity } = list.item;
  const schema: Schema = {
    ...list.item,
    identity: `${list.operation.node.pointer}/responses`,
    variantOf: identity,
  };
  return planner.variant(schema, rows.own, rows.key, rowTypeNamesAt(derivation, list, rows.own));
}

interface ListOperations extends ItemChanges {
  readonly insert: DocumentOperation | undefined;
}

function operationsOf(
  { derivation, index }: NavigationSearch,
  { operation }: ListAnswer,
  read: DocumentOperation | undefined,
  { schema, keyRule }: EntityPlan,
  listed: Place | undefined,
): ListOperations {
  if (keyRule === KEY_OF_ROWS) return { ...NO_CHANGES, insert: undefined, all: [operation] };
  const insert = plainInsert(derivation, index.get(pathKey(operation))?.get('post'), schema);
  const changes =
    read === undefined
      ? listedChanges(derivation, index, listed, schema)
      : itemChanges(derivation, index, read, schema);
  const all = [operation, insert, read, ...changes.all].filter((each) => each !== undefined);
  return { ...changes, insert, all };
}

function emptyPlace(path: string): NavigationPlace {
  return { path, list: undefined, read: undefined, insert: undefined, update: undefined, delete: undefined };
}
