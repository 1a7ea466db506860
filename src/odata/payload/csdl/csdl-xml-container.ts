import type { CallableImport, EntitySet, EntityType, Singleton } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { boundPaths } from './bound-paths.ts';
import { capabilities, singletonCapabilities } from './csdl-capabilities.ts';
import { containerAnnotations } from './csdl-container-annotations.ts';
import { element, type XmlElement } from './csdl-element.ts';
import { annotationElement } from './csdl-expression.ts';
import { isListed, isListedImport } from './listed-resource.ts';

/** The entity container (CSDL XML 4.01, 13); undefined where nothing is in it. */
export function containerElement(model: Model): XmlElement | undefined {
  const children = [
    ...[...model.entitySets.values()].map((set) => entitySetElement(model, set)),
    ...[...model.singletons.values()].map((singleton) => singletonElement(model, singleton)),
    ...[...model.imports.values()].map((each) => importElement(model, each)),
  ];
  if (children.length === 0) return undefined;
  const annotations = containerAnnotations(model).map(annotationElement);
  return element('EntityContainer', { Name: model.container }, [...annotations, ...children]);
}

function entitySetElement(model: Model, set: EntitySet): XmlElement {
  const attributes = {
    Name: set.name,
    EntityType: qualified(set.entityType),
    IncludeInServiceDocument: isListed(set) ? undefined : false,
  };
  return element('EntitySet', attributes, [
    ...bindingElements(set.entityType),
    ...capabilities(model, set).map(annotationElement),
  ]);
}

function singletonElement(model: Model, singleton: Singleton): XmlElement {
  return element('Singleton', { Name: singleton.name, Type: qualified(singleton.entityType) }, [
    ...bindingElements(singleton.entityType),
    ...singletonCapabilities(model, singleton).map(annotationElement),
  ]);
}

function bindingElements(type: EntityType): readonly XmlElement[] {
  return boundPaths(type).map(([path, target]) =>
    element('NavigationPropertyBinding', { Path: path, Target: target }),
  );
}

function importElement(model: Model, each: CallableImport): XmlElement {
  const { name, kind, callable, entitySet } = each;
  const found = model.callables.find((candidate) => candidate.name === callable);
  const reference = `${found?.namespace ?? model.namespace}.${callable}`;
  if (kind === 'action')
    return element('ActionImport', { Name: name, Action: reference, EntitySet: entitySet?.name });
  return element('FunctionImport', {
    Name: name,
    Function: reference,
    EntitySet: entitySet?.name,
    IncludeInServiceDocument: isListedImport(model, each) || undefined,
  });
}

function qualified({ namespace, name }: EntityType): string {
  return `${namespace}.${name}`;
}
