import type { NavigationPlace } from '../../structured-type.ts';
import { firstSendable } from '../callables/sent-body.ts';
import type { Derivation } from '../derivation.ts';
import type { DocumentOperation } from '../document/document-operation.ts';
import { calling, insertion, listing, reading, updating } from '../model-operation.ts';
import { pascalCase } from '../names.ts';
import { isObjectSchema, type Schema, setting } from '../schemas/schema.ts';
import { entityAnswer } from '../sets/entity-answer.ts';
import type { EntityPlan, EntityPlanner } from '../sets/entity-plan.ts';
import { insertOperation, type OperationIndex, pathKey, templateOf } from '../sets/entity-set-plan.ts';
import { answerSchema, isCallable, type ListAnswer, listAnswer } from '../sets/list-answer.ts';
import { fillParameters, type Place, placeOf } from './place.ts';

/** A navigation property that the paths below an entity's path make. */
export interface PathNavigation {
  /** The identity of the schema whose type has it. */
  readonly owner: string;
  readonly name: string;
  readonly related: EntityPlan;
  readonly collection: boolean;
  readonly containsTarget: boolean;
  readonly place: NavigationPlace;
  readonly at: DocumentOperation;
}

interface PathNavigations {
  readonly navigations: readonly PathNavigation[];
  /** The places that were given, and those of contained entities. */
  readonly places: readonly Place[];
}

interface NavigationSearch {
  readonly derivation: Derivation;
  readonly planner: EntityPlanner;
  readonly index: OperationIndex;
  /** GETs whose path ends with parameters, by the path before these. */
  readonly items: ReadonlyMap<string, readonly DocumentOperation[]>;
  readonly used: Set<DocumentOperation>;
  /** The entities that are in an entity set. */
  readonly inSets: ReadonlySet<string>;
  /** Those whose set is a singleton's own: another entity's, at a path of its own, are not in it. */
  readonly owned: ReadonlySet<string>;
}

/** How deep entities may be contained in others. */
const DEEPEST = 8;

/**
 * Finds the navigation properties that paths make (design, section 3): a GET below an entity's path
 * that returns a list of entities, or one entity of a set. Entities that are in no set, but have a path
 * below the list's, are contained (CSDL 4.01, 8.4), and may contain others.
 */
export function findPathNavigations(search: NavigationSearch, roots: readonly Place[]): PathNavigations {
  const children = childrenByParent(search.index);
  const navigations: PathNavigation[] = [];
  const places: Place[] = [];
  const queue = [...roots];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    places.push(place);
    for (const operation of children.get(templateOf(place.segments)) ?? []) {
      const found = search.used.has(operation) ? undefined : navigationAt(search, place, operation);
      if (found === undefined) continue;
      navigations.push(found.navigation);
      if (found.place !== undefined && found.place.length <= DEEPEST) queue.push(found.place);
    }
  }
  return { navigations, places };
}

/** GETs whose path has one literal segment more than another, by that other path. */
function childrenByParent(index: OperationIndex): ReadonlyMap<string, readonly DocumentOperation[]> {
  const gets = [...index.values()].flatMap((methods) => methods.get('get') ?? []);
  const children = gets.filter(({ segments }) => segments.length > 1 && segments.at(-1)?.kind === 'literal');
  return Map.groupBy(children, ({ segments }) => templateOf(segments.slice(0, -1)));
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
  const last = operation.segments.at(-1);
  const name = last?.kind === 'literal' ? pascalCase(last.text) : undefined;
  if (name === undefined || !isCallable(operation) || fillParameters(place, operation) === undefined)
    return undefined;
  const list = listAnswer(search.derivation, operation);
  if (list !== undefined && isObjectSchema(list.item)) return collectionAt(search, place, name, list);
  const schema = answerSchema(search.derivation, operation);
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
    name,
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
  const { derivation, planner, used, inSets, owned } = search;
  const parameters = fillParameters(place, list.operation);
  const read = readBelow(search, place, list);
  const related = relatedPlan(search, list, read);
  if (related === undefined || parameters === undefined) return undefined;
  const contained = !inSets.has(list.item.identity) || (owned.has(list.item.identity) && read !== undefined);
  const resource = `${place.resource}/${name}`;
  const below = read === undefined ? undefined : placeOf(resource, related, read, place);
  const operations = itemOperations(search, list, read);
  for (const operation of [list.operation, ...operations.all]) used.add(operation);
  const parametersOf = (operation: DocumentOperation) => (below && fillParameters(below, operation)) ?? [];
  const keyed = (operation: DocumentOperation) => calling(derivation, operation, parametersOf(operation));
  const at: NavigationPlace = {
    path: resource,
    list: listing(derivation, list, parameters),
    read: read && reading(derivation, read, list.item, parametersOf(read)),
    insert: operations.insert && insertion(derivation, operations.insert, related, parameters),
    update:
      operations.update && updating(derivation, operations.update, related, parametersOf(operations.update)),
    delete: operations.delete && keyed(operations.delete),
  };
  const owner = place.entity.schema.identity;
  const plan = planner.plans.get(list.item.identity) ?? related;
  return {
    navigation: {
      owner,
      name,
      related: plan,
      collection: true,
      containsTarget: contained,
      place: at,
      at: list.operation,
    },
    place: contained ? below : undefined,
  };
}

/** The type of the listed entities: one that is in a set, or one with a key of its own below the path. */
function relatedPlan(
  { planner, inSets, owned }: NavigationSearch,
  { operation, item }: ListAnswer,
  read: DocumentOperation | undefined,
): EntityPlan | undefined {
  if (inSets.has(item.identity) && !owned.has(item.identity)) return planner.plans.get(item.identity);
  if (item.hidden || (read === undefined && setting(item, 'key') === undefined)) return undefined;
  const own = read?.segments.slice(operation.segments.length) ?? [];
  const parameters = own.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
  return planner.keyed(item, parameters, (read ?? operation).node);
}

/** The GET below a list's path that returns one of the list by parameters. */
function readBelow(
  { derivation, items }: NavigationSearch,
  place: Place,
  { operation, item }: ListAnswer,
): DocumentOperation | undefined {
  const reads = items.get(templateOf(operation.segments)) ?? [];
  return reads.find((read) => {
    const isItem = entityAnswer(derivation, read, item) !== undefined && isCallable(read);
    return isItem && fillParameters(place, read) !== undefined;
  });
}

interface ItemOperations {
  readonly insert: DocumentOperation | undefined;
  readonly update: DocumentOperation | undefined;
  readonly delete: DocumentOperation | undefined;
  readonly all: readonly DocumentOperation[];
}

function itemOperations(
  { derivation, index }: NavigationSearch,
  list: ListAnswer,
  read: DocumentOperation | undefined,
): ItemOperations {
  const onItem = read === undefined ? undefined : index.get(pathKey(read));
  const insert = insertOperation(derivation, index.get(pathKey(list.operation))?.get('post'), list.item);
  const changes = [onItem?.get('patch'), onItem?.get('put')].filter(
    (operation) => firstSendable(derivation, [operation]) !== undefined,
  );
  const remove = onItem?.get('delete');
  const all = [insert, read, ...changes, remove].filter((operation) => operation !== undefined);
  return { insert, update: changes[0], delete: remove, all };
}

function emptyPlace(path: string): NavigationPlace {
  return { path, list: undefined, read: undefined, insert: undefined, update: undefined, delete: undefined };
}
