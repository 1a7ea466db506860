import type { Callable, StructuredType, TypeUse } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { typeIn } from '../negotiation/untyped-text.ts';

/**
 * The model in the words of CSDL 4.0 that its clients know.
 *
 * It has no Edm.Untyped: values of that type are texts there, see {@link typeIn}. It has type definitions, but not
 * all clients of that version do (SAP UI5 cannot form a key of one): their underlying types stand for them, which
 * is what payloads and URLs are written in anyhow.
 */
export function modelFor40(model: Model): Model {
  return {
    ...model,
    entityTypes: mapValues(model.entityTypes, structuredIn40),
    complexTypes: mapValues(model.complexTypes, structuredIn40),
    typeDefinitions: new Map(),
    callables: model.callables.map(callableIn40),
  };
}

function structuredIn40<Type extends StructuredType>(type: Type): Type {
  return { ...type, structuralProperties: mapValues(type.structuralProperties, useIn40) };
}

function callableIn40(callable: Callable): Callable {
  const { parameters, returns } = callable;
  return { ...callable, parameters: parameters.map(useIn40), returns: returns && useIn40(returns) };
}

function useIn40<Use extends TypeUse>(use: Use): Use {
  return { ...use, type: typeIn('4.0', use.type), definition: undefined };
}

function mapValues<Value>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  return new Map([...map].map(([name, value]) => [name, change(value)]));
}
