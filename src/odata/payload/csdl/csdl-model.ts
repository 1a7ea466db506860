import {
  type Callable,
  type CallableImport,
  type EntitySet,
  type EntityType,
  type StructuralProperty,
  type StructuredType,
  type TypeUse,
  withDerivedTypes,
} from '../../../model/edm.ts';
import { mapValues } from '../../../model/maps.ts';
import type { Model } from '../../../model/model.ts';
import { isKeyType } from '../../../model/type-use.ts';
import { typeIn } from '../negotiation/format.ts';

/** Whether the service document lists an entity set, which requires a GET of all its entities. */
export function isListed({ list, page }: EntitySet): boolean {
  return list !== undefined || page !== undefined;
}

/**
 * Whether the service document lists a function import, which requires a call without parameters (CSDL 4.01,
 * 13.6) and a result.
 */
export function isListedImport({ callables }: Model, { kind, callable }: CallableImport): boolean {
  const overloads = callables.filter(({ name, binding }) => name === callable && binding === undefined);
  return (
    kind === 'function' &&
    overloads.some(
      ({ parameters, returns }) =>
        returns?.type.name !== 'Edm.Stream' && parameters.every(({ optional }) => optional),
    )
  );
}

/** The path of a navigation property through complex properties, and its entity set. */
type BoundPath = readonly [path: string, target: string];

/** The entity sets of related entities by path (CSDL 4.01, 13.4). */
export function boundPaths(type: StructuredType): readonly BoundPath[] {
  return pathsBelow(type, [], new Set());
}

/** Visits a complex type once per path, because types may be recursive. */
function pathsBelow(
  { navigationProperties, structuralProperties }: StructuredType,
  before: readonly string[],
  above: ReadonlySet<StructuredType>,
): readonly BoundPath[] {
  const own = [...navigationProperties.values()].flatMap(({ name, target }): readonly BoundPath[] =>
    target === undefined ? [] : [[[...before, name].join('/'), target.name]],
  );
  const inner = [...structuralProperties.values()].flatMap(({ name, type }) => {
    if (type.kind !== 'complex' || above.has(type)) return [];
    return pathsBelow(type, [...before, name], new Set([...above, type]));
  });
  return [...own, ...inner];
}

/**
 * The model for clients of CSDL 4.0.
 *
 * 4.0 lacks Edm.Untyped, which becomes text, see {@link typeIn}. Type definitions become their underlying
 * types, which payloads and URLs use anyway, because some clients do not support them in keys (SAP UI5).
 * Types of singletons get keys, see {@link keyedIn40}.
 */
export function modelFor40(model: Model): Model {
  return {
    ...model,
    entityTypes: mapValues(model.entityTypes, (type) => keyedIn40(structuredIn40(type))),
    complexTypes: mapValues(model.complexTypes, structuredIn40),
    typeDefinitions: new Map(),
    callables: model.callables.map(callableIn40),
  };
}

function structuredIn40<Type extends StructuredType>(type: Type): Type {
  return { ...type, structuralProperties: mapValues(type.structuralProperties, useIn40) };
}

/**
 * CSDL 4.01, 6.5: in 4.0, the type of a singleton must have a key. Without one in the document, the first
 * property that is always present is used. It is never null, even if a value is invalid and would be read as
 * null.
 */
function keyedIn40(type: EntityType): EntityType {
  const isKeyless = type.base === undefined && withDerivedTypes(type).every(({ key }) => key.length === 0);
  const property = isKeyless ? [...type.structuralProperties.values()].find(mayBeKey) : undefined;
  if (property === undefined) return type;
  const { name } = property;
  const structuralProperties = new Map(type.structuralProperties).set(name, { ...property, nullable: false });
  return { ...type, key: [name], structuralProperties };
}

function mayBeKey({ type, collection, nullable, required }: StructuralProperty): boolean {
  return !collection && (required || !nullable) && (type.kind === 'enumeration' || isKeyType(type.name));
}

function callableIn40(callable: Callable): Callable {
  const { parameters, returns } = callable;
  return { ...callable, parameters: parameters.map(useIn40), returns: returns && useIn40(returns) };
}

function useIn40<Use extends TypeUse>(use: Use): Use {
  return { ...use, type: typeIn('4.0', use.type), definition: undefined };
}
