import type { Model } from '../../model/edm.ts';
import type { Callable, CallableParameter } from '../../model/operation.ts';
import { element, type XmlElement } from './csdl-element.ts';
import { annotationElement } from './csdl-expression.ts';
import { callableAnnotations, parameterAnnotations } from './csdl-property.ts';
import { typeAttributes } from './csdl-type.ts';

/** The name of the parameter that stands for what a function or action is bound to. */
export const BINDING_PARAMETER = 'bindingParameter';

/** An overload of a function or an action (CSDL XML 4.01, 12): the binding parameter first, the result last. */
export function callableElement(model: Model, callable: Callable): XmlElement {
  const { kind, name, binding, parameters, returns } = callable;
  const attributes = { Name: name, IsBound: binding === undefined ? undefined : true };
  return element(kind === 'function' ? 'Function' : 'Action', attributes, [
    bindingElement(model, callable),
    ...parameters.map((parameter) => parameterElement(model, parameter)),
    returns && element('ReturnType', typeAttributes(model, returns)),
    ...callableAnnotations(callable).map(annotationElement),
  ]);
}

function bindingElement(model: Model, { binding }: Callable): XmlElement | undefined {
  if (binding === undefined) return undefined;
  const name = `${model.entityTypes.get(binding.entityType)?.namespace}.${binding.entityType}`;
  return element('Parameter', {
    Name: BINDING_PARAMETER,
    Type: binding.collection ? `Collection(${name})` : name,
    Nullable: false,
  });
}

function parameterElement(model: Model, parameter: CallableParameter): XmlElement {
  const attributes = { Name: parameter.name, ...typeAttributes(model, parameter) };
  return element('Parameter', attributes, parameterAnnotations(parameter).map(annotationElement));
}
