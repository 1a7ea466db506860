import type { Model } from '../../../model/edm.ts';
import type { Callable } from '../../../model/operation.ts';
import type { StructuredType } from '../../../model/structured-type.ts';
import type { TypeUse } from '../../../model/type-use.ts';

/**
 * The model in the words of CSDL 4.0 that its clients know.
 *
 * It has no Edm.Untyped: what has a property of that type is open, so that the property is a dynamic one; a
 * function or an action that needs the type is not there. It has type definitions, but not all clients of
 * that version do (SAP UI5 cannot form a key of one): their underlying types stand for them, which is what
 * payloads and URLs are written in anyhow.
 */
export function modelFor40(model: Model): Model {
  const callables = model.callables.filter((each) => !usesOf(each).some(isUntyped)).map(withoutDefinitions);
  const names = new Set(callables.map(({ name }) => name));
  return {
    ...model,
    entityTypes: mapValues(model.entityTypes, in40),
    complexTypes: mapValues(model.complexTypes, in40),
    typeDefinitions: new Map(),
    callables,
    imports: new Map([...model.imports].filter(([, { callable }]) => names.has(callable))),
  };
}

function in40<Type extends StructuredType>(type: Type): Type {
  const typed = [...type.structuralProperties].filter(([, property]) => !isUntyped(property));
  return {
    ...type,
    open: type.open || typed.length < type.structuralProperties.size,
    structuralProperties: mapValues(new Map(typed), withoutDefinition),
  };
}

function usesOf({ parameters, returns }: Callable): readonly TypeUse[] {
  return returns === undefined ? parameters : [...parameters, returns];
}

function isUntyped({ type }: TypeUse): boolean {
  return type.kind === 'primitive' && type.name === 'Edm.Untyped';
}

function withoutDefinitions(callable: Callable): Callable {
  const { parameters, returns } = callable;
  return {
    ...callable,
    parameters: parameters.map(withoutDefinition),
    returns: returns && withoutDefinition(returns),
  };
}

function withoutDefinition<Use extends TypeUse>(use: Use): Use {
  return { ...use, definition: undefined };
}

function mapValues<Value>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  return new Map([...map].map(([name, value]) => [name, change(value)]));
}
