import type { EntitySet, EntityType, Model, Property } from '../../model/edm.ts';
import {
  type Annotation,
  type AnnotationValue,
  description,
  VOCABULARIES,
  type VocabularyAlias,
} from './csdl-annotation.ts';
import { capabilities } from './csdl-capabilities.ts';
import { element, writeXml, type XmlElement } from './csdl-element.ts';

/** The version of CSDL that a client asks for; older clients read 4.0 only. */
export type CsdlVersion = '4.0' | '4.01';

const EDMX = 'http://docs.oasis-open.org/odata/ns/edmx';
const EDM = 'http://docs.oasis-open.org/odata/ns/edm';

/**
 * Writes the model as an OData CSDL XML document (CSDL XML 4.01, section 3).
 *
 * Valid against the XML schemas of both versions: keys come first in their types, annotations stand in
 * the elements that they are about, and every vocabulary that is used is referenced.
 */
export function writeCsdlXml(model: Model, version: CsdlVersion): string {
  const schemas = schemaElements(model);
  const references = usedVocabularies(schemas).map(reference);
  const services = element('edmx:DataServices', {}, schemas);
  return writeXml(element('edmx:Edmx', { 'xmlns:edmx': EDMX, Version: version }, [...references, services]));
}

function reference(alias: VocabularyAlias): XmlElement {
  const { namespace, uri } = VOCABULARIES[alias];
  return element('edmx:Reference', { Uri: uri }, [
    element('edmx:Include', { Namespace: namespace, Alias: alias }),
  ]);
}

function usedVocabularies(elements: readonly XmlElement[]): readonly VocabularyAlias[] {
  const terms = new Set(elements.flatMap(usedTerms).map((term) => term.split('.')[0]));
  return (Object.keys(VOCABULARIES) as VocabularyAlias[]).filter((alias) => terms.has(alias));
}

function usedTerms({ attributes, children }: XmlElement): readonly string[] {
  const own = typeof attributes['Term'] === 'string' ? [attributes['Term']] : [];
  return [...own, ...children.flatMap(usedTerms)];
}

/** One schema for each namespace; the container stands in the model's own. */
function schemaElements(model: Model): readonly XmlElement[] {
  const types = Map.groupBy(model.entityTypes.values(), ({ namespace }) => namespace);
  const namespaces = new Set([model.namespace, ...types.keys()]);
  return [...namespaces].map((namespace) =>
    element('Schema', { xmlns: EDM, Namespace: namespace }, [
      ...(types.get(namespace) ?? []).map(entityTypeElement),
      namespace === model.namespace ? containerElement(model) : undefined,
    ]),
  );
}

function entityTypeElement(type: EntityType): XmlElement {
  const references = type.key.map((name) => element('PropertyRef', { Name: name }));
  return element('EntityType', { Name: type.name }, [
    element('Key', {}, references),
    ...[...type.properties.values()].map(propertyElement),
    ...description(type).map(annotationElement),
  ]);
}

function propertyElement(property: Property): XmlElement {
  const attributes = {
    Name: property.name,
    Type: property.type,
    Nullable: property.nullable ? undefined : false,
    MaxLength: property.maxLength,
    Precision: property.precision,
    Scale: property.scale,
  };
  return element('Property', attributes, description(property).map(annotationElement));
}

function containerElement({ container, entitySets }: Model): XmlElement | undefined {
  if (entitySets.size === 0) return undefined;
  return element('EntityContainer', { Name: container }, [...entitySets.values()].map(entitySetElement));
}

function entitySetElement(set: EntitySet): XmlElement {
  const { namespace, name } = set.entityType;
  const attributes = { Name: set.name, EntityType: `${namespace}.${name}` };
  return element('EntitySet', attributes, capabilities(set).map(annotationElement));
}

function annotationElement({ vocabulary, term, value, annotations = [] }: Annotation): XmlElement {
  const inline = inlineValue(value);
  const attributes = { Term: `${vocabulary}.${term}`, ...inline };
  const inner = annotations.map(annotationElement);
  return element(
    'Annotation',
    attributes,
    inline === undefined ? [...inner, expressionElement(value)] : inner,
  );
}

/** The attribute that a constant is written as; undefined for what is written as an element. */
function inlineValue(value: AnnotationValue): XmlElement['attributes'] | undefined {
  switch (value.kind) {
    case 'string':
      return { String: value.value };
    case 'bool':
      return { Bool: value.value };
    case 'int':
      return { Int: value.value };
    case 'decimal':
      return { Decimal: value.value };
    case 'enumeration':
      return { EnumMember: value.member };
    case 'collection':
    case 'record':
      return undefined;
  }
}

function expressionElement(value: AnnotationValue): XmlElement | undefined {
  switch (value.kind) {
    case 'collection':
      return element('Collection', {}, value.items.map(expressionElement));
    case 'record':
      return element('Record', {}, Object.entries(value.properties).map(propertyValueElement));
    case 'string':
    case 'bool':
    case 'int':
    case 'decimal':
    case 'enumeration':
      // Only records are items of the collections that we write.
      return undefined;
  }
}

function propertyValueElement([property, value]: readonly [string, AnnotationValue]): XmlElement {
  const inline = inlineValue(value);
  const attributes = { Property: property, ...inline };
  return element('PropertyValue', attributes, inline === undefined ? [expressionElement(value)] : []);
}
