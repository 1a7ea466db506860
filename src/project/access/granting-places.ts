import { namedOperations } from '../../model/derive/operations/operation-names.ts';
import type { EntitySet, Singleton } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { pascalCase } from '../../model/names.ts';
import { type DocumentNode, member, members, rootNode } from '../../openapi/document/document-node.ts';
import { documentSource } from '../../openapi/document/document-source.ts';
import { operationsOf } from '../plan/operation-resources.ts';

/** What stands for all that has no grants of its own. */
export const ALL_ENTITIES = '*';

/**
 * Where grants decide about each resource of a model: as JSON pointers (RFC 6901) into the document as it is
 * written, whatever its version is. Entities have theirs on their schema where that has a name, else on the paths of
 * their operations; functions and actions on their operations. A resource that is not named has no such place.
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

/** The named schemas, by the names of the entity types that they become. */
function schemaPlaces(root: DocumentNode): ReadonlyMap<string, string> {
  const schemas = [
    ...members(member(member(root, 'components'), 'schemas')),
    ...members(member(root, 'definitions')),
  ];
  // Of two that become one name, the first has it.
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
