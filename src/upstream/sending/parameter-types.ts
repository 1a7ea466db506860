import { narrowedProperty } from '../../contract/narrowing-arguments.ts';
import type { Callable, EntitySet, EntityType, NavigationProperty, TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation, Operation } from '../../model/operation.ts';

/** The types of what operations take: by the parameter's name in the mesh, or by the upstream's name in the body. */
export interface ParameterTypes {
  argument(operation: Operation, name: string): TypeUse | undefined;
  body(operation: Operation, name: string): TypeUse | undefined;
}

/** Gathers them from the model: of parameters that properties of entities fill, and of functions and actions. */
export function parameterTypes(model: Model): ParameterTypes {
  const notes = new TypeNotes();
  for (const entitySet of model.entitySets.values()) noteEntitySet(notes, entitySet);
  for (const owner of model.entityTypes.values()) {
    for (const property of owner.navigationProperties.values()) noteNavigation(notes, owner, property);
    for (const stream of [owner.stream, ...(owner.streams?.values() ?? [])]) {
      for (const operation of [stream?.get, stream?.put, stream?.delete]) notes.filled(operation, [owner]);
    }
  }
  for (const callable of model.callables) noteCallable(notes, callable);
  return notes;
}

class TypeNotes implements ParameterTypes {
  readonly #types = new Map<string, TypeUse>();

  argument(operation: Operation, name: string): TypeUse | undefined {
    return this.#types.get(nameOf(operation, 'argument', name));
  }

  body(operation: Operation, name: string): TypeUse | undefined {
    return this.#types.get(nameOf(operation, 'body', name));
  }

  note(operation: Operation, place: Usage, name: string, use: TypeUse | undefined): void {
    if (use !== undefined) this.#types.set(nameOf(operation, place, name), use);
  }

  /** The parameters that entities fill; the last entity of the path is the first of the list. */
  filled(operation: Operation | undefined, path: readonly (EntityType | undefined)[]): void {
    if (operation === undefined) return;
    for (const { name, property, up = 0 } of operation.parameters) {
      this.note(operation, 'argument', name, path[up]?.structuralProperties.get(property));
    }
  }
}

type Usage = 'argument' | 'body';

function nameOf({ source, id }: Operation, place: Usage, name: string): string {
  return `${source} ${id} ${place} ${name}`;
}

function noteEntitySet(notes: TypeNotes, set: EntitySet): void {
  const { entityType, page } = set;
  for (const operation of [
    set.list,
    set.read,
    set.insert,
    set.update,
    set.update?.replacing,
    set.delete,
    page,
  ]) {
    notes.filled(operation, [entityType]);
  }
  for (const list of [set.list, page]) noteNarrowing(notes, entityType, list);
  if (page === undefined) return;
  for (const [property, { name }] of page.filters) {
    notes.note(page, 'argument', name, entityType.structuralProperties.get(property));
  }
}

/** Values of a parameter that compares a property are written as those of the property. */
function noteNarrowing(notes: TypeNotes, type: EntityType, list: ListOperation | undefined): void {
  for (const narrowing of list?.narrowing ?? []) {
    const { parameter, member } = narrowing;
    if (list !== undefined && member === undefined)
      notes.note(list, 'argument', parameter.name, narrowedProperty(narrowing, type));
  }
}

function noteNavigation(
  notes: TypeNotes,
  owner: EntityType,
  { origin, entityType: related, addReference, removeReference }: NavigationProperty,
): void {
  for (const operation of [addReference, removeReference].filter((each) => each !== undefined)) {
    notes.filled(operation, [related, owner]);
    for (const { upstreamName, property } of operation.body) {
      notes.note(operation, 'body', upstreamName, related.structuralProperties.get(property));
    }
  }
  if (origin.kind === 'link') {
    notes.filled(origin.operation, [owner]);
    noteNarrowing(notes, related, origin.operation);
  }
  if (origin.kind !== 'path') return;
  for (const { list, read, insert, update, delete: remove } of origin.places) {
    for (const operation of [list, insert]) notes.filled(operation, [owner]);
    noteNarrowing(notes, related, list);
    // A single related entity has no key in the path.
    const path = list === undefined ? [owner] : [related, owner];
    for (const operation of [read, update, update?.replacing, remove]) notes.filled(operation, path);
  }
}

function noteCallable(notes: TypeNotes, { parameters, binding, calls }: Callable): void {
  for (const { operation } of calls) {
    notes.filled(operation, [binding?.entityType]);
    for (const parameter of parameters) {
      const place = parameter.in === 'body' ? 'body' : 'argument';
      notes.note(operation, place, parameter.upstreamName, parameter);
    }
  }
}
