import type {
  DescribedCallable,
  DescribedEntitySet,
  DescribedEntityType,
  DescribedSingleton,
  ModelPart,
} from '../model/description.ts';
import type { FoundRelation } from '../model/found-relation.ts';
import { byName } from '../model/maps.ts';
import { reachableOnly } from '../model/reachable-types.ts';
import { type DocumentNode, text } from '../openapi/document/document-node.ts';
import { componentName, ownKeyword, ownSchema } from '../openapi/schemas/schema.ts';
import type { ListAnswer } from './answers/list-answer.ts';
import { addCallable } from './callables/callable.ts';
import { callableRegistry } from './callables/callable-registry.ts';
import {
  type EntityPath,
  type EntityPlan,
  type EntityPlanner,
  entityPlanner,
  withInherited,
  withKeyPaths,
} from './edm-types/entity-plan.ts';
import { isWeakKey } from './edm-types/key-names.ts';
import { withPresentations } from './edm-types/presentation.ts';
import { hasProperty } from './edm-types/sent-type.ts';
import { typeTable } from './edm-types/type-table.ts';
import { type ListReport, reportLists } from './lists-report.ts';
import { completeEntityTypes, placed, setsOfTypes } from './navigation/complete-types.ts';
import { filteredSets, flatSets } from './navigation/filtered-sets.ts';
import { findForeignKeys, foreignKeyNavigations, referringNavigations } from './navigation/foreign-keys.ts';
import {
  findLinkNavigations,
  type LinkTarget,
  linkRelations,
  navigationProperties,
  withPartners,
  withSettledPaths,
} from './navigation/navigation.ts';
import {
  childrenByParent,
  findPathNavigations,
  type NavigationSearch,
} from './navigation/path-navigation.ts';
import { withReferenceOperations } from './navigation/reference-operations.ts';
import type { Derivation } from './operations/derivation.ts';
import { byPathLength, type DocumentOperation } from './operations/document-operation.ts';
import {
  entitySet,
  entitySetNames,
  type NamedOperations,
  pagesBySet,
  type SetDraft,
  setPlace,
} from './sets/entity-set.ts';
import {
  type EntitySetPlan,
  indexOperations,
  isReadByQuery,
  itemReads,
  listedChanges,
  type OperationIndex,
  pathKey,
  planEntitySets,
  templateOf,
  wholeSchemas,
  withKeyedChange,
} from './sets/entity-set-plan.ts';
import { schemaGrants, withInheritedGrants } from './sets/grants.ts';
import { calling, changing, entityPlace, type Place, placeInList } from './sets/model-operation.ts';
import { entityPath } from './sets/set-name.ts';
import { planSingletons, type SingletonPlan } from './sets/singleton-plan.ts';
import { reportUnused } from './sets/unused-resources.ts';
import { markUsedOfEntities, reportWordsWithoutEffect } from './words-without-effect.ts';

interface DerivedDocument {
  readonly part: ModelPart;
  /** The outcome for each list. */
  readonly lists: readonly ListReport[];
  /** The relations that are served, suggested and refused. */
  readonly relations: readonly FoundRelation[];
}

/**
 * Derives a document's part of the model. Each operation is used once, for the first of these that it
 * fits: entity sets, singletons, navigation below them, and else functions and actions.
 */
export function deriveDocument(derivation: Derivation): DerivedDocument {
  const { operations } = derivation;
  const used = new Set<DocumentOperation>();
  const planner = entityPlanner(derivation);
  const index = indexOperations(operations);
  const items = itemReads(operations);
  const drafts = draftSets(
    { derivation, planner, index, used },
    planEntitySets(derivation, operations, index, items),
  );
  const singletons = planSingletons(derivation, planner, index, used, operations);
  const setOf = setsByType(drafts);
  const inSets = new Set(setOf.keys());
  const owned = ownedBySingletons(drafts, singletons);
  const search: NavigationSearch = {
    derivation,
    planner,
    index,
    items,
    children: childrenByParent(index, new Set(singletons.map(({ read }) => templateOf(read.segments)))),
    used,
    inSets,
    owned,
    whole: wholeSchemas(drafts.map(({ plan }) => plan)),
    takesRows: false,
  };
  const paths = findPathNavigations(search, rootPlaces(drafts, singletons));
  const filtered = filteredSets(search, operations);
  const flat = flatSets(search, drafts, paths);
  // Rows without a key come last, so that entities with a key keep their names.
  const rows = { ...search, takesRows: true };
  const pathsToRows = findPathNavigations(rows, [...paths.places, ...filtered.places]);
  const flatRows = flatSets(rows, drafts, pathsToRows);
  const rowSets = filteredSets(rows, operations);
  const allDrafts = [...drafts, ...filtered.drafts, ...flat, ...flatRows, ...rowSets.drafts];
  const documented = findLinkNavigations(derivation, operations, allDrafts.map(linkTarget));
  const { keys: foreignKeys, relations } = findForeignKeys(derivation, planner.plans, allDrafts);
  const links = [...documented, ...foreignKeyNavigations(derivation, foreignKeys, documented)];
  const navigations = [...paths.navigations, ...filtered.navigations, ...pathsToRows.navigations];
  const referring = referringNavigations(foreignKeys, drafts);
  const navigation = navigationProperties(navigations, links, referring, setOf);

  const types = typeTable(derivation, planner.plans);
  for (const { schema } of planner.plans.values()) types.entity(schema);
  const named = { derivation, operations, used, pages: pagesBySet(operations) };
  const completed = completeEntityTypes(
    named,
    planner.plans,
    withInherited(types.finish().entityTypes),
    navigation,
    setOf,
  );
  const settled = withSettledPaths(completed, [...paths.places, ...filtered.places]);
  const linked = withReferenceOperations(named, settled.places, withPartners(settled.types));
  const entityTypes = withPresentations(derivation, planner.plans, linked, types.finish().complexTypes);
  for (const { plan, entity } of allDrafts) reportGuess(derivation, entity, plan.at);
  const entitySets = allDrafts.flatMap((draft) => finishSet(named, entityTypes, draft));
  const registry = callableRegistry(derivation);
  const context = { derivation, types, planner, places: settled.places, setOf, registry };
  // The shortest paths have the first choice of names.
  const left = operations.filter((operation) => !used.has(operation));
  for (const operation of left.toSorted(byPathLength)) addCallable(context, operation);
  const { complexTypes, enumerationTypes, typeDefinitions } = types.finish();
  const setOfType = setsOfTypes(planner.plans, setOf);
  const finished = singletons.flatMap((plan) => finishSingleton(derivation, entityTypes, plan));
  const granted = withInheritedGrants(derivation, planner.plans, {
    entityTypes,
    entitySets,
    singletons: finished,
    callables: registry.callables(),
  });
  reportWordsWithoutEffect(derivation.source.report, operations, {
    entityTypes: [...granted.entityTypes.values()],
    entitySets: granted.entitySets,
    singletons: granted.singletons,
    callables: granted.callables,
  });
  reportDisuse(derivation, planner, [...granted.entitySets, ...granted.singletons], granted.callables);
  const part = reachableOnly({
    ...withKeyPaths({
      entityTypes: [...granted.entityTypes.values()],
      complexTypes: [...withInherited(byName(complexTypes)).values()].map((type) => placed(type, setOfType)),
    }),
    enumerationTypes,
    typeDefinitions,
    entitySets: granted.entitySets,
    singletons: granted.singletons,
    callables: granted.callables,
    imports: registry.imports(),
  });
  markUsedOfEntities(derivation.source, planner.plans, part);
  const called = new Set(part.callables.flatMap(({ calls }) => calls.map((call) => call.operation.id)));
  const keyRules = new Map(
    [...planner.plans.values()].flatMap(({ name, keyRule }) =>
      keyRule ? [[name, keyRule.id] as const] : [],
    ),
  );
  return {
    part,
    lists: reportLists(derivation, operations, { ...part, called, keyRules }),
    relations: [...linkRelations(derivation, planner.plans, documented), ...relations],
  };
}

/** Reports the key of entities that have no identifier. */
function reportGuess({ source }: Derivation, { key, keyRule }: EntityPlan, at: DocumentNode): void {
  if (keyRule?.isGuess !== true) return;
  const own = key.flatMap(({ property }) => (property.argument === true ? [] : property.name));
  const message = `Nothing says what identifies its entities: ${own.join(', ')} is taken for the key (${keyRule.id})`;
  const hint = 'where several may have the same, x-odata.key names another one';
  source.report('info', at.pointer, `${message}; ${hint}`, 'key-is-a-guess');
}

/** The entity set for references to entities of a schema: the first one with a read by key. */
function setsByType(drafts: readonly SetDraft[]): ReadonlyMap<string, string> {
  const ranked = drafts.toSorted(
    (a, b) => Number(isRead(a.plan)) - Number(isRead(b.plan)) || drafts.indexOf(b) - drafts.indexOf(a),
  );
  return new Map(ranked.map(({ plan, name }) => [plan.schema.identity, name]));
}

function reportDisuse(
  { source }: Derivation,
  { plans }: EntityPlanner,
  resources: readonly (DescribedEntitySet | DescribedSingleton)[],
  callables: readonly DescribedCallable[],
): void {
  const schemas = new Map([...plans.values()].map(({ name, schema }) => [name, schema]));
  for (const resource of resources) {
    const schema = schemas.get(resource.entityType.name);
    if (schema !== undefined) reportUnused(source.report, resource, schema, callables);
  }
}

function rootPlaces(drafts: readonly SetDraft[], singletons: readonly SingletonPlan[]): readonly Place[] {
  return [
    ...drafts.flatMap((draft) => setPlace(draft) ?? []),
    ...singletons.map(({ name, entity, read }) => entityPlace(name, entity, read, undefined)),
  ];
}

/** Entities with a set at a path below a singleton's path, such as `/me/addresses`. */
function ownedBySingletons(
  drafts: readonly SetDraft[],
  singletons: readonly SingletonPlan[],
): ReadonlySet<string> {
  const paths = new Set(singletons.map(({ read }) => pathKey(read)));
  const owned = drafts.filter(({ plan }) => {
    const path = plan.list === undefined ? undefined : pathKey(plan.list.operation);
    return path !== undefined && paths.has(path.slice(0, path.lastIndexOf('/')));
  });
  return new Set(owned.map(({ plan }) => plan.schema.identity));
}

function linkTarget({ plan, entity, name }: SetDraft): LinkTarget {
  return { set: name, entity, list: plan.list?.operation, read: plan.read };
}

type EntityTypes = ReadonlyMap<string, DescribedEntityType>;

function finishSet(
  named: NamedOperations,
  types: EntityTypes,
  draft: SetDraft,
): readonly DescribedEntitySet[] {
  const type = types.get(draft.entity.name);
  return type === undefined ? [] : [entitySet(named, draft, type)];
}

function finishSingleton(
  derivation: Derivation,
  types: EntityTypes,
  { name, entity, read, change }: SingletonPlan,
): readonly DescribedSingleton[] {
  const entityType = types.get(entity.name);
  if (entityType === undefined) return [];
  return [
    {
      name,
      title: text(ownKeyword(entity.schema, 'title')),
      entityType,
      read: calling(derivation, read, []),
      update: change && changing(derivation, change, entity, () => []),
      grants: schemaGrants(entity.schema),
    },
  ];
}

interface Drafting {
  readonly derivation: Derivation;
  readonly planner: EntityPlanner;
  readonly index: OperationIndex;
  readonly used: Set<DocumentOperation>;
}

/**
 * The sets in the order of the document. Reads by key determine the key of a type first, then lists by their
 * names. If the key of the first set is a name and another set has an identifier, the type has the
 * identifier.
 */
function draftSets(drafting: Drafting, plans: readonly EntitySetPlan[]): readonly SetDraft[] {
  const { derivation, planner } = drafting;
  const ranked = plans.toSorted((a, b) => rank(a) - rank(b));
  for (const sets of Map.groupBy(ranked, ({ schema }) => schema.identity).values()) {
    const keys =
      sets.length === 1
        ? []
        : sets.map((plan) => planner.keyAt(plan.schema, pathOf(derivation, plan), plan.at));
    const isWeak = keys[0]?.parts.some(({ property }) => isWeakKey(property)) === true;
    const plan = isWeak ? sets.find((_, index) => keys[index]?.isIdentity === true) : undefined;
    if (plan !== undefined) planner.keyed(plan.schema, pathOf(derivation, plan), plan.at);
  }
  const drafts = ranked.flatMap((plan) => draftSet(drafting, plan) ?? []);
  const places = new Map(plans.map(({ at }, index) => [at, index]));
  return drafts.toSorted((a, b) => (places.get(a.plan.at) ?? 0) - (places.get(b.plan.at) ?? 0));
}

function rank({ read, list }: EntitySetPlan): number {
  return list === undefined ? 2 : read === undefined ? 1 : 0;
}

function isRead({ read }: EntitySetPlan): boolean {
  return read !== undefined;
}

function draftSet(drafting: Drafting, given: EntitySetPlan): SetDraft | undefined {
  const { derivation, planner, used } = drafting;
  const found = keyedSet(derivation, planner, withKnownSchema(derivation, planner, given));
  if (found === undefined) return undefined;
  const { entity } = found;
  const plan = withListedChanges(drafting, found.plan, entity);
  for (const operation of plan.operations) used.add(operation);
  const typeName = componentName(given.schema) ?? entity.name;
  const choice = entitySetNames(derivation, plan.schema, plan.segments, typeName);
  return { plan, entity, name: derivation.claimResourceName(choice, plan.at.pointer) };
}

/** The plan with the operations that change its entities, if no path or only a query reads them. */
function withListedChanges(
  { derivation, index }: Drafting,
  plan: EntitySetPlan,
  entity: EntityPlan,
): EntitySetPlan {
  const { read, list } = plan;
  if (list === undefined || (read !== undefined && !isReadByQuery(read))) return plan;
  const place =
    read === undefined
      ? placeInList(entity.name, entity, list.operation)
      : entityPlace(entity.name, entity, read, undefined);
  const { change, remove, all } = withKeyedChange(
    derivation,
    index.get(pathKey(list.operation)),
    plan.schema,
    listedChanges(derivation, index, place, plan.schema),
  );
  return { ...plan, change, delete: remove, operations: [...plan.operations, ...all] };
}

/** The plan with the schema of its list, if that schema lacks the key of the reads of single entities. */
function withKnownSchema(
  derivation: Derivation,
  { plans }: EntityPlanner,
  plan: EntitySetPlan,
): EntitySetPlan {
  const { list, read, schema } = plan;
  if (list === undefined || read !== undefined || schema.identity === list.item.identity) return plan;
  const key = plans.get(ownSchema(schema).identity)?.key ?? [];
  const isListed =
    key.length > 0 && key.every(({ property }) => hasProperty(derivation, list.item, property));
  return isListed ? plan : listedOnly(plan, list);
}

/**
 * The set and its type. If the path parameters of a single entity are no key, the set supports lists only.
 */
function keyedSet(
  derivation: Derivation,
  planner: EntityPlanner,
  plan: EntitySetPlan,
): { readonly plan: EntitySetPlan; readonly entity: EntityPlan } | undefined {
  const entity = planner.keyed(plan.schema, pathOf(derivation, plan), plan.at);
  const isVariant = entity?.schema.variantOf !== undefined;
  if (entity !== undefined) return { plan: isVariant ? { ...plan, schema: entity.schema } : plan, entity };
  return plan.read === undefined || plan.list === undefined
    ? undefined
    : keyedSet(derivation, planner, listedOnly(plan, plan.list));
}

function pathOf(derivation: Derivation, { segments, read }: EntitySetPlan): EntityPath {
  return entityPath(derivation, segments, read?.segments ?? []);
}

function listedOnly(plan: EntitySetPlan, list: ListAnswer): EntitySetPlan {
  const operations = [list.operation, plan.insert].filter((operation) => operation !== undefined);
  const item = { read: undefined, change: undefined, delete: undefined };
  return { ...plan, ...item, schema: list.item, operations, at: list.operation.node };
}
