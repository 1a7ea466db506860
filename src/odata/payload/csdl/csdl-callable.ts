import type { Callable, CallableParameter } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { element, type XmlElement } from './csdl-element.ts';
import { annotationElement } from './csdl-expression.ts';
import { callableAnnotations, parameterAnnotations } from './csdl-property.ts';
import { qualifiedTypeName, typeAttributes } from './csdl-type.ts';

/** The name of the parameter that stands for what a function or action is bound to. */
export const BINDING_PARAMETER = 'bindingParameter';

/** An overload of a function or an action (CSDL XML 4.01, 12): the binding parameter first, the result last. */
export function callableElement(model: Model, callable: Callable): XmlElement {
  const { kind, name, binding, parameters, returns } = callable;
  const attributes = {
    Name: name,
    IsBound: binding === undefined ? undefined : true,
    EntitySetPath: entitySetPath(model, callable),
  };
  return element(kind === 'function' ? 'Function' : 'Action', attributes, [
    bindingElement(callable),
    ...parameters.map((parameter) => parameterElement(parameter)),
    returns && element('ReturnType', typeAttributes(returns)),
    ...callableAnnotations(callable).map(annotationElement),
  ]);
}

/**
 * Says of a result of the type that the callable is bound to that it is of the binding parameter's set (CSDL
 * XML 4.01, 12.6), where that type has but one: clients then take it for the entity itself in its new state.
 */
export function entitySetPath(model: Model, { binding, returns }: Callable): string | undefined {
  if (returns?.type.kind !== 'entity' || returns.type !== binding?.entityType) return undefined;
  const sets = [...model.entitySets.values()].filter(
    ({ entityType }) => entityType.name === returns.type.name,
  );
  return sets.length === 1 ? BINDING_PARAMETER : undefined;
}

function bindingElement({ binding }: Callable): XmlElement | undefined {
  if (binding === undefined) return undefined;
  const name = qualifiedTypeName(binding.entityType);
  return element('Parameter', {
    Name: BINDING_PARAMETER,
    Type: binding.collection ? `Collection(${name})` : name,
    Nullable: false,
  });
}

function parameterElement(parameter: CallableParameter): XmlElement {
  const attributes = { Name: parameter.name, ...typeAttributes(parameter) };
  return element('Parameter', attributes, parameterAnnotations(parameter).map(annotationElement));
}
