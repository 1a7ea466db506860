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

/** Whether the service document has an entity set: not where a GET of all its entities is impossible. */
export function isListed({ list, page }: EntitySet): boolean {
  return list !== undefined || page !== undefined;
}

/**
 * Whether the service document has a function import: where it can be called without parameters (CSDL
 * 4.01, 13.6), and answers with data.
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

/** A navigation property, behind the complex properties that lead to it, and the set that its entities are in. */
type BoundPath = readonly [path: string, target: string];

/** Which set related entities are in, by the paths to them (CSDL 4.01, 13.4). */
export function boundPaths(type: StructuredType): readonly BoundPath[] {
  return pathsBelow(type, [], new Set());
}

/** A complex type is gone through once on each path: values may hold others of their own type. */
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
 * The model in the words of CSDL 4.0 that its clients know.
 *
 * It has no Edm.Untyped: values of that type are texts there, see {@link typeIn}. It has type definitions, but not
 * all clients of that version do (SAP UI5 cannot form a key of one): their underlying types stand for them, which
 * is what payloads and URLs are written in anyhow. And the types of singletons have keys, see {@link keyedIn40}.
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
 * CSDL 4.01, 6.5: in 4.0, the type of a singleton has a key, too. Where the document names none, the first property
 * that is always there stands for it: of a single entity, any tells it apart. A key is never null, also where values
 * that the document did not foresee are taken for null.
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
