import type { Model } from '../../model/edm.ts';
import type { StructuredType } from '../../model/structured-type.ts';
import type { TypeUse } from '../../model/type-use.ts';

/**
 * The model in the words of CSDL 4.0, which has no Edm.Untyped: what has a property of that type is open,
 * so that the property is a dynamic one; a function or an action that needs the type is not there.
 */
export function modelFor40(model: Model): Model {
  const callables = model.callables.filter(
    ({ parameters, returns }) =>
      ![...parameters, ...(returns === undefined ? [] : [returns])].some(isUntyped),
  );
  const names = new Set(callables.map(({ name }) => name));
  const entityTypes = mapValues(model.entityTypes, opened);
  return {
    ...model,
    entityTypes,
    complexTypes: mapValues(model.complexTypes, opened),
    callables,
    imports: new Map([...model.imports].filter(([, { callable }]) => names.has(callable))),
  };
}

function opened<Type extends StructuredType>(type: Type): Type {
  const properties = [...type.structuralProperties].filter(([, property]) => !isUntyped(property));
  if (properties.length === type.structuralProperties.size) return type;
  return { ...type, open: true, structuralProperties: new Map(properties) };
}

function isUntyped({ type }: TypeUse): boolean {
  return type.kind === 'primitive' && type.name === 'Edm.Untyped';
}

function mapValues<Value>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  return new Map([...map].map(([name, value]) => [name, change(value)]));
}
