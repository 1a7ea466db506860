import type { AccessReport, GrantableResource, WrittenMaxAge } from '../../contract/api-report.ts';
import { namedOperations } from '../../derive/samples/operation-names.ts';
import type { Callable, EntitySet, Singleton } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { pascalCase } from '../../model/names.ts';
import { type Grants, PERMISSIONS, type Permission } from '../../model/permission.ts';
import { grantedRoles, resourceGrants } from '../../model/resource-grants.ts';
import {
  type DocumentNode,
  member,
  members,
  nodeAt,
  rootNode,
} from '../../openapi/document/document-node.ts';
import { documentSource } from '../../openapi/document/document-source.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { operationsOf } from '../plan/operation-resources.ts';

/** Describes the operations and grants of a model's resources, and suggests grants where they are missing. */
export function describeAccess(
  { original, document }: Pick<OpenApiDescription, 'original' | 'document'>,
  model: Model,
): AccessReport {
  const places = grantingPlaces(original.document, document, model);
  const resources = describeResources(model).map(
    (resource): GrantableResource => ({ ...resource, isGrantable: places.has(resource.name) }),
  );
  const roles = grantedRoles(model);
  const proposal = roles.length === 0 ? resources.filter(isFree).map(proposed) : [];
  return { roles, resources, proposal, maxAges: describeMaxAges(original.document, places, model) };
}

/** Describes `maxAge` of the document, and of sets and singletons. */
function describeMaxAges(
  document: unknown,
  places: ReadonlyMap<string, readonly string[]>,
  model: Model,
): readonly WrittenMaxAge[] {
  const root = rootNode(document);
  return [...places].flatMap(([name, pointers]) => {
    if (name !== ALL_ENTITIES && !model.entitySets.has(name) && !model.singletons.has(name)) return [];
    const written = pointers.map((pointer) => own(own(nodeAt(root, pointer)?.value, 'x-odata'), 'maxAge'));
    const [maxAge = ''] = written.filter((each) => typeof each === 'string');
    return [{ name, maxAge }];
  });
}

/** Describes the operations and grants of each resource of a model. */
export function describeResources(model: Model): readonly Omit<GrantableResource, 'isGrantable'>[] {
  return [...resourceGrants(model)].map(([name, grants]) => {
    const { kind, rights } = resourceNamed(model, name, grants);
    return { name, kind, rights, grants: written(grants) };
  });
}

function resourceNamed(
  model: Model,
  name: string,
  grants: Grants,
): Pick<GrantableResource, 'kind' | 'rights'> {
  const imported = model.imports.get(name);
  if (imported !== undefined) return { kind: imported.kind, rights: ['Call'] };
  const set = model.entitySets.get(name);
  const singleton = model.singletons.get(name);
  if (set !== undefined) return { kind: 'entitySet', rights: rightsOf(set, model.callables) };
  if (singleton !== undefined) return { kind: 'singleton', rights: rightsOf(singleton, model.callables) };
  return { kind: 'contained', rights: ordered([...grants.values()].flatMap((rights) => [...rights])) };
}

const DONE_BY: Readonly<Record<string, Permission>> = {
  list: 'View',
  read: 'View',
  changes: 'View',
  insert: 'Insert',
  update: 'Update',
  delete: 'Delete',
};

/** The permissions that the API has operations for. */
function rightsOf(resource: EntitySet | Singleton, callables: readonly Callable[]): readonly Permission[] {
  const done = Object.entries(operationsOf(resource)).flatMap(([name, operation]) =>
    operation === undefined ? [] : (DONE_BY[name] ?? []),
  );
  const isCalled = callables.some(({ binding }) => binding?.entityType === resource.entityType);
  return ordered(isCalled ? [...done, 'Call'] : done);
}

function ordered(rights: readonly Permission[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => rights.includes(permission));
}

function written(grants: Grants): GrantableResource['grants'] {
  return Object.fromEntries(
    [...grants].flatMap(([role, rights]) => (rights.size === 0 ? [] : [[role, ordered([...rights])]])),
  );
}

function isFree({ isGrantable, rights }: GrantableResource): boolean {
  return isGrantable && rights.length > 0;
}

/** Suggests that users read and call functions, and administrators do everything. */
function proposed({ name, kind, rights }: GrantableResource): AccessReport['proposal'][number] {
  const harmless = kind === 'function' ? rights : rights.filter((right) => right === 'View');
  return { name, grants: { ...(harmless.length > 0 && { User: harmless }), Admin: rights } };
}

/** Represents all entities without grants of their own. */
export const ALL_ENTITIES = '*';

/**
 * The positions of grants by resource: JSON pointers (RFC 6901) into the document as written, in any version.
 * Grants of entities are on their named schema, or else on the paths of their operations; those of functions
 * and actions on their operations. Other resources have no position.
 */
export function grantingPlaces(
  original: unknown,
  document: unknown,
  model: Model,
): ReadonlyMap<string, readonly string[]> {
  const schemas = schemaPlaces(rootNode(original));
  const operations = operationPlaces(document);
  const ofEntities = [...model.entitySets.values(), ...model.singletons.values()].map((resource) => {
    const schema = schemas.get(resource.entityType.name);
    return [resource.name, schema === undefined ? pathsOf(resource, operations) : [schema]] as const;
  });
  const ofImports = [...model.imports.values()].map(({ name, callable }) => {
    const calls = model.callables.filter((each) => each.name === callable).flatMap((each) => each.calls);
    return [name, unique(calls.flatMap(({ operation }) => operations.get(operation.id) ?? []))] as const;
  });
  const places = [[ALL_ENTITIES, ['']] as const, ...ofEntities, ...ofImports];
  return new Map(places.filter(([, pointers]) => pointers.length > 0));
}

/** The named schemas, by the name of their entity type. */
function schemaPlaces(root: DocumentNode): ReadonlyMap<string, string> {
  const schemas = [
    ...members(member(member(root, 'components'), 'schemas')),
    ...members(member(root, 'definitions')),
  ];
  // If two schemas have the same type name, the first one wins.
  return new Map(
    schemas.toReversed().map(([name, { pointer }]) => [pascalCase(name) ?? name, pointer] as const),
  );
}

function operationPlaces(document: unknown): ReadonlyMap<string, string> {
  const source = documentSource('Api', document);
  return new Map((namedOperations([source]).get(source) ?? []).map(({ node, id }) => [id, node.pointer]));
}

function pathsOf(
  resource: EntitySet | Singleton,
  operations: ReadonlyMap<string, string>,
): readonly string[] {
  const pointers = Object.values(operationsOf(resource)).flatMap(
    (operation) => (operation && operations.get(operation.id)) ?? [],
  );
  return unique(pointers.map((pointer) => pointer.slice(0, pointer.lastIndexOf('/'))));
}

function unique(pointers: readonly string[]): readonly string[] {
  return [...new Set(pointers)];
}
