import type { EntityType, Model } from '../model/edm.ts';
import type { Operation } from '../model/operation.ts';
import type { NavigationProperty } from '../model/structured-type.ts';
import type { TypeUse } from '../model/type-use.ts';

/** The types of what operations take: by the parameter's name in the mesh, or the body's property's upstream name. */
export interface ParameterTypes {
  argument(operation: Operation, name: string): TypeUse | undefined;
  body(operation: Operation, name: string): TypeUse | undefined;
}

/** Gathers them from the model: of parameters that keys and other properties fill, of functions and actions. */
export function parameterTypes(model: Model): ParameterTypes {
  const types = new Map<string, TypeUse>();
  const note = (operation: Operation | undefined, filling: readonly (EntityType | undefined)[]): void => {
    for (const { name, property, up = 0 } of operation?.parameters ?? []) {
      const use = filling[up]?.structuralProperties.get(property);
      if (operation !== undefined && use !== undefined) types.set(nameOf(operation, 'argument', name), use);
    }
  };
  for (const { entityType, list, read, insert, update, delete: remove, page } of model.entitySets.values()) {
    for (const operation of [list, read, insert, update, remove, page]) note(operation, [entityType]);
  }
  for (const owner of model.entityTypes.values()) {
    for (const property of owner.navigationProperties.values()) noteNavigation(model, owner, property, note);
    for (const stream of [owner.stream, ...(owner.streams?.values() ?? [])]) {
      for (const operation of [stream?.get, stream?.put, stream?.delete]) note(operation, [owner]);
    }
  }
  for (const { parameters, binding, calls } of model.callables) {
    for (const { operation } of calls) {
      note(operation, [binding && model.entityTypes.get(binding.entityType)]);
      for (const parameter of parameters) {
        const place = parameter.in === 'body' ? 'body' : 'argument';
        types.set(nameOf(operation, place, parameter.upstreamName), parameter);
      }
    }
  }
  return {
    argument: (operation, name) => types.get(nameOf(operation, 'argument', name)),
    body: (operation, name) => types.get(nameOf(operation, 'body', name)),
  };
}

type Note = (operation: Operation | undefined, filling: readonly (EntityType | undefined)[]) => void;

function noteNavigation(
  model: Model,
  owner: EntityType,
  { origin, entityType, addReference, removeReference }: NavigationProperty,
  note: Note,
): void {
  const related = model.entityTypes.get(entityType);
  for (const operation of [addReference, removeReference]) note(operation, [related, owner]);
  if (origin.kind === 'link') note(origin.operation, [owner]);
  if (origin.kind !== 'path') return;
  for (const { list, read, insert, update, delete: remove } of origin.places) {
    for (const operation of [list, insert]) note(operation, [owner]);
    // A single related entity has no key in the path.
    const path = list === undefined ? [owner] : [related, owner];
    for (const operation of [read, update, remove]) note(operation, path);
  }
}

function nameOf({ source, id }: Operation, place: 'argument' | 'body', name: string): string {
  return `${source} ${id} ${place} ${name}`;
}
