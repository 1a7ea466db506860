import type {
  ComplexType,
  EntityType,
  EnumerationType,
  NavigationProperty,
  StructuralProperty,
  TypeDefinition,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import { VOCABULARIES, type VocabularyAlias } from './csdl-annotation.ts';
import { callableElement } from './csdl-callable.ts';
import { schemaAnnotations } from './csdl-container-annotations.ts';
import { element, writeXml, type XmlElement } from './csdl-element.ts';
import { annotationElement } from './csdl-expression.ts';
import { hierarchyAnnotations } from './csdl-hierarchies.ts';
import { ownStreamAnnotations, streamPropertyAnnotations } from './csdl-media-types.ts';
import { EDM, EDMX } from './csdl-namespaces.ts';
import { description, propertyAnnotations } from './csdl-property.ts';
import { withTargets } from './csdl-targets.ts';
import { facetAttributes, qualifiedTypeName, typeAttributes } from './csdl-type.ts';
import { modelFor40 } from './csdl-version.ts';
import { containerElement } from './csdl-xml-container.ts';
import { PUBLISHED_VOCABULARIES, vocabularyUri } from './vocabulary-address.ts';

/** The version of CSDL that a client asks for; older clients read 4.0 only. */
type CsdlVersion = '4.0' | '4.01';

/**
 * Writes the model as an OData CSDL XML document (CSDL XML 4.01, section 3).
 *
 * Valid against the XML schemas of both versions: keys come first in their types, annotations stand behind what they
 * are about, and every vocabulary that is used is referenced, below that URL.
 */
export function writeCsdlXml(
  model: Model,
  version: CsdlVersion,
  vocabularies = PUBLISHED_VOCABULARIES,
): string {
  const schemas = schemaElements(version === '4.0' ? modelFor40(model) : model);
  const references = usedVocabularies(schemas).map((alias) => reference(alias, vocabularies));
  const services = element('edmx:DataServices', {}, schemas);
  return writeXml(element('edmx:Edmx', { 'xmlns:edmx': EDMX, Version: version }, [...references, services]));
}

function reference(alias: VocabularyAlias, vocabularies: string): XmlElement {
  const namespace = VOCABULARIES[alias];
  return element('edmx:Reference', { Uri: vocabularyUri(vocabularies, namespace, 'xml') }, [
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
  const parts: readonly (readonly [string, XmlElement])[] = [
    ...[...model.enumerationTypes.values()].map((type) => [type.namespace, enumElement(type)] as const),
    ...[...model.typeDefinitions.values()].map((type) => [type.namespace, definitionElement(type)] as const),
    ...[...model.complexTypes.values()].map((type) => [type.namespace, complexElement(type)] as const),
    ...[...model.entityTypes.values()].map((type) => [type.namespace, entityElement(type)] as const),
    ...model.callables.map((each) => [each.namespace, callableElement(model, each)] as const),
  ];
  const byNamespace = Map.groupBy(parts, ([namespace]) => namespace);
  return [...new Set([model.namespace, ...byNamespace.keys()])].map((namespace) =>
    element('Schema', { xmlns: EDM, Namespace: namespace }, [
      ...withTargets(namespace, [
        ...(byNamespace.get(namespace) ?? []).map(([, part]) => part),
        ...(namespace === model.namespace ? containerElements(model) : []),
      ]),
      ...(namespace === model.namespace ? schemaAnnotations(model).map(annotationElement) : []),
    ]),
  );
}

function containerElements(model: Model): readonly XmlElement[] {
  return [containerElement(model)].filter((container) => container !== undefined);
}

function enumElement({ name, flags, members, ...type }: EnumerationType): XmlElement {
  return element(
    'EnumType',
    { Name: name, IsFlags: flags || undefined, UnderlyingType: underlying(members) },
    [
      ...description(type).map(annotationElement),
      ...members.map((member) => element('Member', { Name: member.name, Value: member.value })),
    ],
  );
}

function definitionElement({ name, underlyingType, facets, ...type }: TypeDefinition): XmlElement {
  const attributes = { Name: name, UnderlyingType: underlyingType, ...facetAttributes(facets) };
  return element('TypeDefinition', attributes, description(type).map(annotationElement));
}

/** Edm.Int32, which goes without saying, unless a value is beyond it. */
function underlying(members: EnumerationType['members']): string | undefined {
  return members.every(({ value }) => Math.abs(value) < 2 ** 31) ? undefined : 'Edm.Int64';
}

function complexElement(type: ComplexType): XmlElement {
  const { base } = type;
  return element('ComplexType', structuredAttributes(type, base), [
    ...ownMembers(type, base),
    ...description(type).map(annotationElement),
  ]);
}

function entityElement(type: EntityType): XmlElement {
  const { base } = type;
  const attributes = {
    ...structuredAttributes(type, base),
    HasStream: type.stream === undefined ? undefined : true,
  };
  const references = type.key.map((name) => keyReference(type, name));
  const inheritsKey = base !== undefined && base.key.length > 0;
  return element('EntityType', attributes, [
    references.length === 0 || inheritsKey ? undefined : element('Key', {}, references),
    ...ownMembers(type, base),
    ...[...description(type), ...ownStreamAnnotations(type), ...hierarchyAnnotations(type)].map(
      annotationElement,
    ),
  ]);
}

/** CSDL XML 4.01, 6.5: a path has an alias. */
function keyReference({ structuralProperties }: EntityType, name: string): XmlElement {
  const path = structuralProperties.get(name)?.aliasOf;
  return element('PropertyRef', path === undefined ? { Name: name } : { Name: path.join('/'), Alias: name });
}

type Structured = EntityType | ComplexType;

function structuredAttributes(type: Structured, base: Structured | undefined): XmlElement['attributes'] {
  return {
    Name: type.name,
    BaseType: base && `${base.namespace}.${base.name}`,
    Abstract: type.abstract || undefined,
    OpenType: type.open || undefined,
  };
}

/** The properties that the type does not have from its base. */
function ownMembers(type: Structured, base: Structured | undefined): readonly XmlElement[] {
  const properties = [...type.structuralProperties.values()];
  const navigation = [...type.navigationProperties.values()];
  return [
    ...properties
      .filter(({ name, aliasOf }) => aliasOf === undefined && base?.structuralProperties.has(name) !== true)
      .map((property) => propertyElement(type, property)),
    ...navigation
      .filter(({ name }) => base?.navigationProperties.has(name) !== true)
      .map((property) => navigationElement(property)),
  ];
}

function propertyElement(type: Structured, property: StructuralProperty): XmlElement {
  const { name, defaultValue } = property;
  const attributes = { Name: name, ...typeAttributes(property), DefaultValue: defaultValue };
  const annotations = [...propertyAnnotations(property), ...streamPropertyAnnotations(type, name)];
  return element('Property', attributes, annotations.map(annotationElement));
}

function navigationElement(property: NavigationProperty): XmlElement {
  const { name, collection, nullable, partner, containsTarget, constraints } = property;
  const related = qualifiedTypeName(property.entityType);
  const attributes = {
    Name: name,
    Type: collection ? `Collection(${related})` : related,
    Nullable: collection || nullable ? undefined : false,
    Partner: partner?.name,
    ContainsTarget: containsTarget || undefined,
  };
  return element('NavigationProperty', attributes, [
    ...constraints.map((constraint) =>
      element('ReferentialConstraint', {
        Property: constraint.property,
        ReferencedProperty: constraint.referencedProperty,
      }),
    ),
    ...description(property).map(annotationElement),
  ]);
}
