import aggregation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Aggregation.V1.js';
import authorization from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Authorization.V1.js';
import capabilities from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Capabilities.V1.js';
import core from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Core.V1.js';
import validation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Validation.V1.js';
import { vocabularyUri } from '../csdl/csdl-annotation.ts';
import { element, writeXml, type XmlElement } from '../csdl/csdl-element.ts';
import type { Json, JsonObject } from '../csdl/csdl-json.ts';
import { EDM, EDMX } from '../csdl/csdl-xml.ts';
import {
  isObject,
  listAt,
  namedMembers,
  objectAt,
  objectsAt,
  schemasOf,
  type Terms,
  type TypeUse,
  termsOf,
  textAt,
  typeUse,
} from './vocabulary-terms.ts';

export type VocabularyForm = 'xml' | 'json';

/** A copy of a vocabulary for those who cannot reach the OASIS: it references others of our copies, below that URL. */
export function writeVocabulary(namespace: string, form: VocabularyForm, folder: string): string | undefined {
  const published = VOCABULARY_DOCUMENTS.get(namespace);
  if (published === undefined) return undefined;
  const document = { ...published, $Reference: ownReferences(published, form, folder) };
  return form === 'json'
    ? JSON.stringify(document)
    : writeVocabularyXml(document, termsOf(VOCABULARY_DOCUMENTS.values()));
}

function ownReferences(document: JsonObject, form: VocabularyForm, folder: string): JsonObject {
  const references = objectAt(document, '$Reference') ?? {};
  return Object.fromEntries(
    Object.keys(references).map((uri) => {
      const reference = objectAt(references, uri) ?? {};
      const [include] = objectsAt(reference, '$Include');
      const namespace = textAt(include ?? {}, '$Namespace') ?? '';
      return [VOCABULARY_DOCUMENTS.has(namespace) ? vocabularyUri(folder, namespace, form) : uri, reference];
    }),
  );
}

/**
 * The vocabularies that `$metadata` references, and those that they reference in turn, by their namespaces: the
 * documents of the OASIS, as CSDL JSON.
 */
const VOCABULARY_DOCUMENTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Org.OData.Aggregation.V1', aggregation],
  ['Org.OData.Authorization.V1', authorization],
  ['Org.OData.Capabilities.V1', capabilities],
  ['Org.OData.Core.V1', core],
  ['Org.OData.Validation.V1', validation],
]);

/**
 * Writes a vocabulary's CSDL JSON as CSDL XML: terms, the types of their values, functions and annotations, which is
 * what vocabularies consist of. `terms` says what annotations are.
 */
function writeVocabularyXml(document: JsonObject, terms: Terms): string {
  const references = Object.entries(objectAt(document, '$Reference') ?? {}).map(([uri, reference]) =>
    referenceElement(uri, reference, terms),
  );
  const schemas = schemasOf(document).map(([namespace, schema]) => schemaElement(namespace, schema, terms));
  return writeXml(
    element('edmx:Edmx', { 'xmlns:edmx': EDMX, Version: textAt(document, '$Version') }, [
      ...references,
      element('edmx:DataServices', {}, schemas),
    ]),
  );
}

function referenceElement(uri: string, reference: Json | undefined, terms: Terms): XmlElement {
  const object = isObject(reference) ? reference : {};
  return element('edmx:Reference', { Uri: uri }, [
    ...objectsAt(object, '$Include').map((include) =>
      element('edmx:Include', {
        Namespace: textAt(include, '$Namespace'),
        Alias: textAt(include, '$Alias'),
      }),
    ),
    ...annotationElements(object, terms),
  ]);
}

function schemaElement(namespace: string, schema: JsonObject, terms: Terms): XmlElement {
  return element('Schema', { xmlns: EDM, Namespace: namespace, Alias: textAt(schema, '$Alias') }, [
    ...annotationElements(schema, terms),
    ...namedMembers(schema).flatMap(([name, member]) =>
      isObject(member)
        ? [memberElement(name, member, terms)]
        : [member]
            .flat()
            .filter(isObject)
            .map((overload) => functionElement(name, overload, terms)),
    ),
  ]);
}

function memberElement(name: string, member: JsonObject, terms: Terms): XmlElement {
  const kind = textAt(member, '$Kind');
  switch (kind) {
    case 'Term':
      return termElement(name, member, terms);
    case 'ComplexType':
      return complexElement(name, member, terms);
    case 'EnumType':
      return enumElement(name, member, terms);
    case 'TypeDefinition':
      return element('TypeDefinition', { Name: name, ...underlyingType(member), ...facets(member) }, [
        ...annotationElements(member, terms),
      ]);
    default:
      throw new Error(`A vocabulary's ${name} is of an unknown kind: ${kind}`);
  }
}

function termElement(name: string, term: JsonObject, terms: Terms): XmlElement {
  const attributes = {
    Name: name,
    ...valueAttributes(term),
    BaseTerm: textAt(term, '$BaseTerm'),
    DefaultValue: defaultValue(term),
    AppliesTo: listAt(term, '$AppliesTo').join(' ') || undefined,
  };
  return element('Term', attributes, annotationElements(term, terms));
}

function complexElement(name: string, type: JsonObject, terms: Terms): XmlElement {
  const attributes = {
    Name: name,
    BaseType: textAt(type, '$BaseType'),
    Abstract: flag(type, '$Abstract'),
    OpenType: flag(type, '$OpenType'),
  };
  return element('ComplexType', attributes, [
    ...namedMembers(type).flatMap(([member, property]) =>
      isObject(property) ? [propertyElement(member, property, terms)] : [],
    ),
    ...annotationElements(type, terms),
  ]);
}

function propertyElement(name: string, property: JsonObject, terms: Terms): XmlElement {
  const annotations = annotationElements(property, terms);
  if (property['$Kind'] === 'NavigationProperty') {
    const { Type, Nullable } = valueAttributes(property);
    const nullable = property['$Collection'] === true ? undefined : Nullable;
    const attributes = {
      Name: name,
      Type,
      Nullable: nullable,
      ContainsTarget: flag(property, '$ContainsTarget'),
    };
    return element('NavigationProperty', attributes, annotations);
  }
  const attributes = { Name: name, ...valueAttributes(property), DefaultValue: defaultValue(property) };
  return element('Property', attributes, annotations);
}

function enumElement(name: string, type: JsonObject, terms: Terms): XmlElement {
  const members = namedMembers(type).map(([member, value]) =>
    element('Member', { Name: member, Value: String(value) }, annotationElements(type, terms, member)),
  );
  const attributes = { Name: name, IsFlags: flag(type, '$IsFlags'), ...underlyingType(type) };
  return element('EnumType', attributes, [...members, ...annotationElements(type, terms)]);
}

function functionElement(name: string, overload: JsonObject, terms: Terms): XmlElement {
  const kind = textAt(overload, '$Kind');
  if (kind !== 'Function' && kind !== 'Action') {
    throw new Error(`A vocabulary's overload of ${name} is of an unknown kind: ${kind}`);
  }
  const returns = objectAt(overload, '$ReturnType');
  const attributes = {
    Name: name,
    IsBound: flag(overload, '$IsBound'),
    IsComposable: flag(overload, '$IsComposable'),
  };
  return element(kind, attributes, [
    ...objectsAt(overload, '$Parameter').map((parameter) =>
      element(
        'Parameter',
        { Name: textAt(parameter, '$Name'), ...valueAttributes(parameter) },
        annotationElements(parameter, terms),
      ),
    ),
    returns && element('ReturnType', valueAttributes(returns), annotationElements(returns, terms)),
    ...annotationElements(overload, terms),
  ]);
}

/** What nothing is said of cannot be null in JSON, and can in XML, where of lists that is open (CSDL 4.01, 7.2.1). */
function valueAttributes(value: JsonObject): XmlElement['attributes'] {
  const { type, collection } = typeUse(value);
  const nullable = value['$Nullable'] === true;
  return {
    Type: collection ? `Collection(${type})` : type,
    Nullable: nullable && !collection ? undefined : nullable,
    ...facets(value, type),
  };
}

/** In JSON the scale is variable unless it is said, in XML it is 0 (7.2.4). */
function facets(value: JsonObject, type = textAt(value, '$UnderlyingType')): XmlElement['attributes'] {
  const fallback = type === 'Edm.Decimal' ? 'variable' : undefined;
  return {
    MaxLength: constantAt(value, '$MaxLength'),
    Precision: constantAt(value, '$Precision'),
    Scale: constantAt(value, '$Scale') ?? fallback,
    SRID: constantAt(value, '$SRID'),
    Unicode: constantAt(value, '$Unicode'),
  };
}

function underlyingType(type: JsonObject): XmlElement['attributes'] {
  return { UnderlyingType: textAt(type, '$UnderlyingType') };
}

function defaultValue(value: JsonObject): string | undefined {
  return constantAt(value, '$DefaultValue');
}

function constantAt(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

function flag(object: JsonObject, name: string): true | undefined {
  return object[name] === true ? true : undefined;
}

/**
 * The annotations of an object, or of its member of that name, as elements. JSON leaves to the terms what XML says
 * with each value: whether a text is a member of an enumeration, a date or a path (CSDL JSON and XML 4.01, 14.3).
 */
function annotationElements(object: JsonObject, terms: Terms, member = ''): readonly XmlElement[] {
  const prefix = `${member}@`;
  return Object.entries(object).flatMap(([name, value]) => {
    const term = name.slice(prefix.length);
    if (value === undefined || !name.startsWith(prefix) || /@|^odata\./.test(term)) return [];
    return [annotationElement(object, terms, name, term, value)];
  });
}

function annotationElement(
  object: JsonObject,
  terms: Terms,
  name: string,
  qualified: string,
  value: Json,
): XmlElement {
  const [term = '', qualifier] = qualified.split('#');
  const full = terms.fullName(term);
  return withValue(
    'Annotation',
    { Term: full, Qualifier: qualifier },
    expressionOf(value, terms.typeOfTerm(full), terms),
    annotationElements(object, terms, name),
  );
}

/** A constant, which may be an attribute, or what is an element only. */
type ValueExpression = readonly [constant: string, text: string] | XmlElement;

function isConstant(expression: ValueExpression): expression is readonly [string, string] {
  return Array.isArray(expression);
}

function withValue(
  name: string,
  attributes: XmlElement['attributes'],
  expression: ValueExpression,
  annotations: readonly XmlElement[],
): XmlElement {
  if (!isConstant(expression)) return element(name, attributes, [...annotations, expression]);
  const [constant, text] = expression;
  return element(name, { ...attributes, [constant]: text }, annotations);
}

function expressionOf(value: Json, use: TypeUse | undefined, terms: Terms): ValueExpression {
  if (isObject(value)) return recordElement(value, use, terms);
  if (typeof value !== 'object') return constantOf(value, use?.type, terms);
  const items = value.map((item) => expressionOf(item, use && { ...use, collection: false }, terms));
  return element(
    'Collection',
    {},
    items.map((item) => (isConstant(item) ? element(item[0], {}, [], item[1]) : item)),
  );
}

function recordElement(value: JsonObject, use: TypeUse | undefined, terms: Terms): XmlElement {
  const named = textAt(value, '@odata.type') ?? textAt(value, '@type');
  const own = named === undefined ? undefined : terms.fullName(named.replace(/^.*#/, ''));
  const type = own ?? use?.type;
  const properties = namedMembers(value).map(([name, inner]) => {
    const expected = type === undefined ? undefined : terms.typeOfProperty(type, name);
    const annotations = annotationElements(value, terms, name);
    return withValue('PropertyValue', { Property: name }, expressionOf(inner, expected, terms), annotations);
  });
  return element('Record', { Type: own }, [...properties, ...annotationElements(value, terms)]);
}

function constantOf(
  value: string | number | boolean,
  type: string | undefined,
  terms: Terms,
): readonly [string, string] {
  if (typeof value === 'boolean') return ['Bool', String(value)];
  const underlying = type === undefined ? undefined : terms.underlying(type);
  if (typeof value === 'number') return [numberConstant(value, underlying), String(value)];
  if (type !== undefined && terms.isEnumeration(type)) {
    const members = value.split(',').map((member) => `${type}/${member.trim()}`);
    return ['EnumMember', members.join(' ')];
  }
  return [TEXT_CONSTANTS[underlying ?? ''] ?? 'String', value];
}

function numberConstant(value: number, type: string | undefined): string {
  if (type === 'Edm.Double' || type === 'Edm.Single') return 'Float';
  return Number.isSafeInteger(value) && type !== 'Edm.Decimal' ? 'Int' : 'Decimal';
}

/** What is not called as its type is, or is a text in JSON although it is none. */
const TEXT_CONSTANTS: Readonly<Record<string, string>> = {
  'Edm.AnnotationPath': 'AnnotationPath',
  'Edm.AnyPropertyPath': 'AnyPropertyPath',
  'Edm.Binary': 'Binary',
  'Edm.Date': 'Date',
  'Edm.DateTimeOffset': 'DateTimeOffset',
  'Edm.Decimal': 'Decimal',
  'Edm.Double': 'Float',
  'Edm.Duration': 'Duration',
  'Edm.Guid': 'Guid',
  'Edm.Int64': 'Int',
  'Edm.ModelElementPath': 'ModelElementPath',
  'Edm.NavigationPropertyPath': 'NavigationPropertyPath',
  'Edm.PropertyPath': 'PropertyPath',
  'Edm.Single': 'Float',
  'Edm.TimeOfDay': 'TimeOfDay',
};
