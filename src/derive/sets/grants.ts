import {
  type DescribedCallable,
  type DescribedEntitySet,
  type DescribedEntityType,
  type DescribedNavigationProperty,
  type DescribedSingleton,
  retyped,
} from '../../model/description.ts';
import type { NavigationPlace } from '../../model/edm.ts';
import { byName } from '../../model/maps.ts';
import type { Operation } from '../../model/operation.ts';
import type { Grants, Permission } from '../../model/permission.ts';
import { describedResourceName, grantingResource } from '../../model/resource-grants.ts';
import {
  type DocumentNode,
  items,
  member,
  members,
  nodeAt,
  text,
  texts,
} from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { type Schema, setting } from '../../openapi/schemas/schema.ts';
import type { EntityPlans } from '../edm-types/entity-plan.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';

/** The parts of a model that have resources with grants. */
export interface GrantedParts {
  readonly entityTypes: ReadonlyMap<string, DescribedEntityType>;
  readonly entitySets: readonly DescribedEntitySet[];
  readonly singletons: readonly DescribedSingleton[];
  readonly callables: readonly DescribedCallable[];
}

/** An operation that serves a permission on a resource. */
interface Use {
  readonly resource: string;
  readonly permission: Permission;
  readonly operation: DocumentOperation;
  /** Whether it is an operation of the resource itself, or one of another resource that leads to it. */
  readonly isOwn: boolean;
}

/**
 * Gives grants to the resources whose schemas have none: those of their operations' paths, tags and document.
 *
 * A role has a permission where each operation that serves it grants it: what is kept for some at one path is not
 * to be had by another. Operations that lead to a resource from elsewhere count where their own path has grants.
 * Contained entities go by what contains them, unless their own paths or tags have grants.
 */
export function withInheritedGrants(
  derivation: Derivation,
  plans: EntityPlans,
  parts: GrantedParts,
): GrantedParts {
  const contained = withContained(derivation, plans, parts.entityTypes);
  const uses = Map.groupBy(usesOf(derivation, withTypes(parts, contained)), ({ resource }) => resource);
  const grantingTypes = typesWithGrants(plans);
  const grantsOf = (name: string) => inheritedGrants(derivation, uses.get(name) ?? []);
  const granting = grantingOperations(derivation);
  const granted = <Resource extends DescribedEntitySet | DescribedSingleton>(resource: Resource): Resource =>
    grantingTypes.has(resource.entityType.name) ? resource : { ...resource, grants: grantsOf(resource.name) };
  const entityTypes = mapNavigation(contained, (property) =>
    property.contained === undefined || grantingTypes.has(property.entityType)
      ? property
      : { ...property, contained: { ...property.contained, grants: grantsOf(property.contained.name) } },
  );
  const { entitySets, singletons, callables } = withTypes(parts, entityTypes);
  const sets = entitySets.map(granted);
  return {
    entityTypes,
    entitySets: sets.map((set) =>
      grantingTypes.has(set.entityType.name) ? set : withOwners(sets, set, granting),
    ),
    singletons: singletons.map(granted),
    callables,
  };
}

/**
 * Contained entities have the grants of their owners, unless their own paths or tags have grants; also if
 * they form a set.
 */
function withOwners(
  sets: readonly DescribedEntitySet[],
  set: DescribedEntitySet,
  granting: ReadonlySet<string>,
): DescribedEntitySet {
  const owners = sets.find(({ name }) => name === set.list?.over?.entitySet);
  const isFree = operationsOf(set).every(([, operation]) => !granting.has(operation?.id ?? ''));
  return owners !== undefined && isFree ? { ...set, grants: owners.grants } : set;
}

function withTypes(parts: GrantedParts, entityTypes: ReadonlyMap<string, DescribedEntityType>): GrantedParts {
  return {
    ...parts,
    entityTypes,
    entitySets: retyped(parts.entitySets, entityTypes),
    singletons: retyped(parts.singletons, entityTypes),
  };
}

function typesWithGrants(plans: EntityPlans): ReadonlySet<string> {
  const granting = [...plans.values()].filter(({ schema }) => setting(schema, 'grants') !== undefined);
  return new Set(granting.map(({ name }) => name));
}

/** Permissions without an operation follow the operations that show the resource. */
function inheritedGrants({ source }: Derivation, uses: readonly Use[]): Grants {
  const grants = new Map<string, Set<Permission>>();
  for (const permission of ['View', 'Insert', 'Update', 'Delete', 'Call'] as const) {
    const serving = uses.filter((use) => use.permission === permission);
    const own = serving.filter(({ isOwn }) => isOwn);
    const shown = own.length > 0 ? own : uses.filter((use) => use.isOwn && use.permission === 'View');
    const declared = [
      ...shown.map(({ operation }) => surroundingGrants(source, operation)),
      ...serving.flatMap(({ isOwn, operation }) => (isOwn ? [] : (pathGrants(source, operation) ?? []))),
    ];
    for (const role of rolesWith(permission, declared)) {
      grants.set(role, (grants.get(role) ?? new Set()).add(permission));
    }
  }
  return grants;
}

function usesOf({ operations }: Derivation, parts: GrantedParts): readonly Use[] {
  const known = new Map(operations.map((operation) => [operation.id, operation]));
  const use = (
    resource: string,
    permission: Permission,
    isOwn: boolean,
    operation: Operation | undefined,
  ) => {
    const found = operation && known.get(operation.id);
    return found === undefined ? [] : [{ resource, permission, operation: found, isOwn }];
  };
  const held = {
    entitySets: byName(parts.entitySets),
    singletons: byName(parts.singletons),
    entityTypes: parts.entityTypes,
  };
  const resources = [...parts.entitySets, ...parts.singletons];
  return [
    ...resources.flatMap((resource) => [
      ...operationsOf(resource).flatMap(([permission, operation]) =>
        use(resource.name, permission, true, operation),
      ),
      ...fileOperations(resource.entityType).flatMap(([permission, operation]) =>
        use(resource.name, permission, false, operation),
      ),
    ]),
    ...[...parts.entityTypes.values()].flatMap(({ name, navigationProperties }) =>
      [...navigationProperties.values()].flatMap((property) => [
        ...navigationOperations(property).flatMap(([permission, operation]) => {
          const resource = describedResourceName(property);
          return resource === undefined
            ? []
            : use(resource, permission, property.contained !== undefined, operation);
        }),
        ...resources
          .filter(({ entityType }) => entityType.name === name)
          .flatMap((resource) =>
            [property.addReference, property.removeReference].flatMap((operation) =>
              use(resource.name, 'Update', false, operation),
            ),
          ),
      ]),
    ),
    ...parts.callables.flatMap(({ calls }) =>
      calls.flatMap(({ resource, operation }) =>
        resource === undefined ? [] : use(grantingResource(held, resource), 'Call', true, operation),
      ),
    ),
  ];
}

type Served = readonly [permission: Permission, operation: Operation | undefined];

function operationsOf(resource: DescribedEntitySet | DescribedSingleton): readonly Served[] {
  const shared: readonly Served[] = [
    ['View', resource.read],
    ['Update', resource.update],
    ['Update', resource.update?.replacing],
  ];
  if (!('list' in resource)) return shared;
  const { list, page, changes, insert, delete: remove } = resource;
  return [
    ...shared,
    ['View', list],
    ['View', page],
    ['View', changes],
    ['Insert', insert],
    ['Delete', remove],
  ];
}

function fileOperations({ stream, streams }: DescribedEntityType): readonly Served[] {
  return [...(stream === undefined ? [] : [stream]), ...(streams?.values() ?? [])].flatMap(
    (file): Served[] => [
      ['View', file.get],
      ['Update', file.put],
      ['Update', file.delete],
    ],
  );
}

function navigationOperations({ origin }: DescribedNavigationProperty): readonly Served[] {
  switch (origin.kind) {
    case 'embedded':
    case 'referring':
      return [];
    case 'link':
      return [['View', origin.operation]];
    case 'path':
      return origin.places.flatMap(placeOperations);
  }
}

function placeOperations({ list, read, insert, update, delete: remove }: NavigationPlace): readonly Served[] {
  return [
    ['View', list],
    ['View', read],
    ['Insert', insert],
    ['Update', update],
    ['Update', update?.replacing],
    ['Delete', remove],
  ];
}

/** Contained entities whose own paths or tags have grants are a resource of their own, like those whose schema has. */
function withContained(
  derivation: Derivation,
  plans: EntityPlans,
  types: ReadonlyMap<string, DescribedEntityType>,
): ReadonlyMap<string, DescribedEntityType> {
  const granting = grantingOperations(derivation);
  const isGranting = (property: DescribedNavigationProperty): boolean =>
    property.origin.kind === 'path' &&
    navigationOperations(property).some(
      ([, operation]) => operation !== undefined && granting.has(operation.id),
    );
  const names = new Set([...plans.values()].map(({ name }) => name));
  return mapNavigation(types, (property, type) => {
    const isFree = property.target === undefined && property.contained === undefined;
    if (!isFree || !names.has(property.entityType) || !isGranting(property)) return property;
    const name = `${ownerOf(types, type, property.name).name}/${property.name}`;
    return { ...property, contained: { name, grants: new Map() } };
  });
}

/** The operations whose own paths or tags have grants. */
function grantingOperations({ source, operations }: Derivation): ReadonlySet<string> {
  const granting = operations.filter(
    (each) => pathGrants(source, each) !== undefined || tagGrants(source, each) !== undefined,
  );
  return new Set(granting.map(({ id }) => id));
}

/** The type that the property is from, of which the others inherit it. */
function ownerOf(
  types: ReadonlyMap<string, DescribedEntityType>,
  type: DescribedEntityType,
  name: string,
): DescribedEntityType {
  const base = type.baseType === undefined ? undefined : types.get(type.baseType);
  return base?.navigationProperties.has(name) ? ownerOf(types, base, name) : type;
}

function mapNavigation(
  types: ReadonlyMap<string, DescribedEntityType>,
  change: (property: DescribedNavigationProperty, type: DescribedEntityType) => DescribedNavigationProperty,
): ReadonlyMap<string, DescribedEntityType> {
  return new Map(
    [...types].map(([key, type]) => {
      const properties = [...type.navigationProperties].map(
        ([name, property]) => [name, change(property, type)] as const,
      );
      return [key, { ...type, navigationProperties: new Map(properties) }];
    }),
  );
}

const PERMISSIONS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

/** `x-odata.grants` of an entity's schema. */
export function schemaGrants(schema: Schema): Grants {
  return readGrants(setting(schema, 'grants'));
}

/** The grants of a function or action import: its own `x-odata.grants`, or those around it. */
export function operationGrants(source: DocumentSource, operation: DocumentOperation): Grants {
  const own = settingOf(operation.node);
  if (own !== undefined) return readGrants(own);
  const callers = rolesWith('Call', [surroundingGrants(source, operation)]);
  return new Map(callers.map((role) => [role, new Set<Permission>(['Call'])]));
}

/**
 * The grants of an operation without own ones: those of its path, else of its tags, else of the document. If
 * several tags have grants, all must allow it.
 */
function surroundingGrants(source: DocumentSource, operation: DocumentOperation): Grants {
  return pathGrants(source, operation) ?? tagGrants(source, operation) ?? readGrants(settingOf(source.root));
}

/** The grants of the operation's path; undefined where it has none. */
function pathGrants({ root }: DocumentSource, { node }: DocumentOperation): Grants | undefined {
  // A Path Item Object that is referred to has them, too.
  const item = nodeAt(root, node.pointer.slice(0, node.pointer.lastIndexOf('/')));
  const declared = item && settingOf(item);
  return declared && readGrants(declared);
}

/** The grants of the operation's tags; undefined where they have none. */
function tagGrants({ root }: DocumentSource, { node }: DocumentOperation): Grants | undefined {
  const names = new Set(texts(member(node, 'tags')));
  const declared = items(member(root, 'tags'))
    .filter((tag) => names.has(text(member(tag, 'name')) ?? ''))
    .flatMap((tag) => settingOf(tag) ?? []);
  return declared.length === 0 ? undefined : declared.map(readGrants).reduce(sharedGrants);
}

function settingOf(node: DocumentNode): DocumentNode | undefined {
  return member(member(node, 'x-odata'), 'grants');
}

function readGrants(node: DocumentNode | undefined): Grants {
  return new Map(
    members(node).map(([role, said]) => {
      const named = texts(said);
      return [role, new Set(PERMISSIONS.filter((permission) => named.includes(permission)))];
    }),
  );
}

/** The grants in both. */
export function sharedGrants(one: Grants, other: Grants): Grants {
  const isShared = (role: string, permission: Permission) => other.get(role)?.has(permission) === true;
  return new Map(
    [...one].map(([role, said]) => [role, new Set([...said].filter((each) => isShared(role, each)))]),
  );
}

/** The roles that all grants give the permission to. */
function rolesWith(permission: Permission, all: readonly Grants[]): readonly string[] {
  const [first, ...others] = all;
  const may = (grants: Grants, role: string) => grants.get(role)?.has(permission) === true;
  return [...(first?.keys() ?? [])].filter(
    (role) => first && [first, ...others].every((each) => may(each, role)),
  );
}
