import type {
  CallableImport,
  ComplexType,
  EntitySet,
  EntityType,
  EnumerationType,
  NavigationProperty,
  Singleton,
  StructuralProperty,
  TypeDefinition,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import {
  PUBLISHED_VOCABULARIES,
  VOCABULARIES,
  type VocabularyAlias,
  vocabularyUri,
} from './csdl-annotation.ts';
import {
  capabilities,
  containerAnnotations,
  schemaAnnotations,
  singletonCapabilities,
} from './csdl-capabilities.ts';
import { annotationElement, element, writeXml, type XmlElement } from './csdl-element.ts';
import { boundPaths, isListed, isListedImport, modelFor40 } from './csdl-model.ts';
import {
  callableElement,
  description,
  facetAttributes,
  hierarchyAnnotations,
  ownStreamAnnotations,
  propertyAnnotations,
  qualifiedTypeName,
  streamPropertyAnnotations,
  typeAttributes,
} from './csdl-property.ts';

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

/** The entity container (CSDL XML 4.01, 13); undefined where nothing is in it. */
function containerElement(model: Model): XmlElement | undefined {
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

/** Model elements with a name within the schema that no other has (CSDL XML 4.01, 14.2.2). */
const NAMED: ReadonlySet<string> = new Set([
  'EntityType',
  'ComplexType',
  'EnumType',
  'TypeDefinition',
  'EntityContainer',
]);

/** Model elements with a name within those. */
const NAMED_WITHIN: ReadonlySet<string> = new Set([
  'Property',
  'NavigationProperty',
  'Member',
  'EntitySet',
  'Singleton',
  'ActionImport',
  'FunctionImport',
]);

/**
 * The parts of a schema with their annotations behind them, by the full names of what they are about: several tools
 * look for them there alone. Those of functions, actions and their parameters stay where they are, since their targets
 * would have to name the overload.
 */
function withTargets(namespace: string, parts: readonly XmlElement[]): readonly XmlElement[] {
  const annotated: XmlElement[] = [];
  const bare = parts.map((part) =>
    NAMED.has(part.name) ? withoutOwn(part, namespace, '.', annotated) : part,
  );
  return [...bare, ...annotated];
}

function withoutOwn(
  { name, attributes, children, text }: XmlElement,
  above: string,
  separator: '.' | '/',
  annotated: XmlElement[],
): XmlElement {
  const target = `${above}${separator}${attributes['Name']}`;
  const own = children.filter(isAnnotation);
  if (own.length > 0) annotated.push(element('Annotations', { Target: target }, own));
  const others = children.filter((child) => !isAnnotation(child));
  const bare = others.map((child) =>
    NAMED_WITHIN.has(child.name) ? withoutOwn(child, target, '/', annotated) : child,
  );
  return element(name, attributes, bare, text);
}

function isAnnotation({ name }: XmlElement): boolean {
  return name === 'Annotation';
}

/** The XML namespaces of CSDL documents and of what they wrap (CSDL XML 4.01, 2.1 and 2.2). */
export const EDMX = 'http://docs.oasis-open.org/odata/ns/edmx';
export const EDM = 'http://docs.oasis-open.org/odata/ns/edm';
