import type { EntitySet, EntityType, Singleton } from '../edm.ts';
import type { Callable, CallableImport } from '../operation.ts';
import type { ComplexType, EnumerationType, TypeDefinition } from '../structured-type.ts';
import { addCallable } from './callables/callable.ts';
import { callableRegistry } from './callables/callable-registry.ts';
import type { Derivation } from './derivation.ts';
import { text } from './document/document-node.ts';
import type { DocumentOperation } from './document/document-operation.ts';
import { completeEntityTypes } from './edm-types/complete-types.ts';
import { withInherited } from './edm-types/inherited-property.ts';
import { typeTable } from './edm-types/type-table.ts';
import { calling, updating } from './model-operation.ts';
import { findLinkNavigations, type LinkTarget } from './navigation/link-navigation.ts';
import { navigationProperties } from './navigation/navigation.ts';
import { withSettledPaths } from './navigation/navigation-path.ts';
import { withPartners } from './navigation/partner.ts';
import { findPathNavigations } from './navigation/path-navigation.ts';
import { type Place, placeOf } from './navigation/place.ts';
import { withReferenceOperations } from './navigation/reference-operations.ts';
import { reachableOnly } from './schemas/reachable-types.ts';
import { ownKeyword } from './schemas/schema.ts';
import { type EntityPlan, type EntityPlanner, entityPlanner } from './sets/entity-plan.ts';
import { entitySet, entitySetName } from './sets/entity-set.ts';
import {
  type EntitySetPlan,
  indexOperations,
  itemReads,
  pathKey,
  planEntitySets,
} from './sets/entity-set-plan.ts';
import type { NamedOperations } from './sets/entity-settings.ts';
import { reportUnused, schemaGrants } from './sets/grants.ts';
import { planSingletons, type SingletonPlan } from './sets/singleton-plan.ts';

/** What one document adds to the model. */
export interface ModelPart {
  readonly entityTypes: readonly EntityType[];
  readonly complexTypes: readonly ComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
  readonly typeDefinitions: readonly TypeDefinition[];
  readonly entitySets: readonly EntitySet[];
  readonly singletons: readonly Singleton[];
  readonly callables: readonly Callable[];
  readonly imports: readonly CallableImport[];
}

interface SetDraft {
  readonly plan: EntitySetPlan;
  readonly entity: EntityPlan;
  readonly name: string;
}

/**
 * Derives a document's part of the model. Each operation is used once, for the first of these that it
 * fits: entity sets, singletons, navigation below them, and else functions and actions.
 */
export function deriveDocument(derivation: Derivation): ModelPart {
  const { operations } = derivation;
  const used = new Set<DocumentOperation>();
  const planner = entityPlanner(derivation);
  const index = indexOperations(operations);
  const items = itemReads(operations);
  const drafts = planEntitySets(derivation, operations, index, items).flatMap(
    (plan) => draftSet(derivation, planner, plan, used) ?? [],
  );
  const singletons = planSingletons(derivation, planner, index, used, operations);
  const setOf = new Map(drafts.map(({ plan, name }) => [plan.schema.identity, name]));
  const inSets = new Set(setOf.keys());
  const owned = ownedBySingletons(drafts, singletons);
  const search = { derivation, planner, index, items, used, inSets, owned };
  const paths = findPathNavigations(search, rootPlaces(drafts, singletons));
  const links = findLinkNavigations(derivation, operations, drafts.map(linkTarget));
  const navigation = navigationProperties(derivation, paths.navigations, links, setOf);

  const types = typeTable(derivation, planner.plans);
  for (const { schema } of planner.plans.values()) types.entity(schema);
  const named = { derivation, operations, used };
  const completed = completeEntityTypes(
    named,
    planner.plans,
    withInherited(types.finish().entityTypes),
    navigation,
    setOf,
  );
  const settled = withSettledPaths(completed, paths.places);
  const entityTypes = withReferenceOperations(named, settled.places, withPartners(settled.types));
  const entitySets = drafts.flatMap((draft) => finishSet(named, entityTypes, draft));
  const registry = callableRegistry(derivation);
  const context = { derivation, types, planner, places: settled.places, setOf, registry };
  // The shortest paths have the first choice of names.
  const left = operations.filter((operation) => !used.has(operation));
  for (const operation of left.toSorted(byPathLength)) addCallable(context, operation);
  const { complexTypes, enumerationTypes, typeDefinitions } = types.finish();
  const finished = singletons.flatMap((plan) => finishSingleton(derivation, entityTypes, plan));
  reportDisuse(derivation, planner, [...entitySets, ...finished], registry.callables());
  return reachableOnly({
    entityTypes: [...entityTypes.values()],
    complexTypes: [...withInherited(byName(complexTypes)).values()],
    enumerationTypes,
    typeDefinitions,
    entitySets,
    singletons: finished,
    callables: registry.callables(),
    imports: registry.imports(),
  });
}

function byName<Type extends { readonly name: string }>(types: readonly Type[]): ReadonlyMap<string, Type> {
  return new Map(types.map((type) => [type.name, type]));
}

function reportDisuse(
  { source }: Derivation,
  { plans }: EntityPlanner,
  resources: readonly (EntitySet | Singleton)[],
  callables: readonly Callable[],
): void {
  const schemas = new Map([...plans.values()].map(({ name, schema }) => [name, schema]));
  for (const resource of resources) {
    const schema = schemas.get(resource.entityType.name);
    if (schema !== undefined) reportUnused(source.report, resource, schema, callables);
  }
}

function byPathLength(a: DocumentOperation, b: DocumentOperation): number {
  return a.segments.length - b.segments.length;
}

function rootPlaces(drafts: readonly SetDraft[], singletons: readonly SingletonPlan[]): readonly Place[] {
  return [
    ...drafts.flatMap(({ plan, entity, name }) =>
      plan.read === undefined ? [] : [placeOf(name, entity, plan.read, undefined)],
    ),
    ...singletons.map(({ name, entity, read }) => placeOf(name, entity, read, undefined)),
  ];
}

/** Entities whose set stands at a path below a singleton's, such as `/me/addresses`. */
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

type EntityTypes = ReadonlyMap<string, EntityType>;

function finishSet(named: NamedOperations, types: EntityTypes, draft: SetDraft): readonly EntitySet[] {
  const type = types.get(draft.entity.name);
  return type === undefined ? [] : [entitySet(named, draft.plan, draft.entity, draft.name, type)];
}

function finishSingleton(
  derivation: Derivation,
  types: EntityTypes,
  { name, entity, read, update }: SingletonPlan,
): readonly Singleton[] {
  const entityType = types.get(entity.name);
  if (entityType === undefined) return [];
  return [
    {
      name,
      title: text(ownKeyword(entity.schema, 'title')),
      entityType,
      read: calling(derivation, read, []),
      update: update && updating(derivation, update, entity, []),
      grants: schemaGrants(entity.schema),
    },
  ];
}

function draftSet(
  derivation: Derivation,
  planner: EntityPlanner,
  plan: EntitySetPlan,
  used: Set<DocumentOperation>,
): SetDraft | undefined {
  const parameters = plan.read?.segments.flatMap((segment) =>
    segment.kind === 'parameter' ? [segment.name] : [],
  );
  const entity = planner.keyed(plan.schema, parameters ?? [], plan.at);
  if (entity === undefined) return undefined;
  for (const operation of plan.operations) used.add(operation);
  const wanted = entitySetName(derivation, plan.schema, entity.name);
  return { plan, entity, name: derivation.claimResourceName(wanted, plan.at.pointer) };
}
