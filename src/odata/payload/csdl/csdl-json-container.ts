import type { CallableImport, EntitySet, EntityType, Singleton } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { boundPaths } from './bound-paths.ts';
import { capabilities, singletonCapabilities } from './csdl-capabilities.ts';
import { containerAnnotations } from './csdl-container-annotations.ts';
import { annotations, type JsonObject } from './csdl-json-annotation.ts';
import { qualifiedTypeName } from './csdl-type.ts';
import { isListed, isListedImport } from './listed-resource.ts';

/** The entity container (CSDL JSON 4.01, 13). */
export function containerObject(model: Model): JsonObject {
  return {
    $Kind: 'EntityContainer',
    ...annotations(containerAnnotations(model)),
    ...Object.fromEntries(
      [...model.entitySets.values()].map((set) => [set.name, entitySetObject(model, set)]),
    ),
    ...Object.fromEntries(
      [...model.singletons.values()].map((singleton) => [singleton.name, singletonObject(model, singleton)]),
    ),
    ...Object.fromEntries([...model.imports.values()].map((each) => [each.name, importObject(model, each)])),
  };
}

function entitySetObject(model: Model, set: EntitySet): JsonObject {
  return {
    $Collection: true,
    ...resourceObject(set.entityType),
    $IncludeInServiceDocument: isListed(set) ? undefined : false,
    ...annotations(capabilities(model, set)),
  };
}

function singletonObject(model: Model, singleton: Singleton): JsonObject {
  return {
    ...resourceObject(singleton.entityType),
    ...annotations(singletonCapabilities(model, singleton)),
  };
}

function resourceObject(type: EntityType): JsonObject {
  const bindings = boundPaths(type);
  return {
    $Type: qualifiedTypeName(type),
    $NavigationPropertyBinding: bindings.length === 0 ? undefined : Object.fromEntries(bindings),
  };
}

function importObject(model: Model, each: CallableImport): JsonObject {
  const { kind, callable, entitySet } = each;
  const namespace = model.callables.find(({ name }) => name === callable)?.namespace ?? model.namespace;
  const reference = `${namespace}.${callable}`;
  if (kind === 'action') return { $Action: reference, $EntitySet: entitySet?.name };
  return {
    $Function: reference,
    $EntitySet: entitySet?.name,
    $IncludeInServiceDocument: isListedImport(model, each) || undefined,
  };
}
