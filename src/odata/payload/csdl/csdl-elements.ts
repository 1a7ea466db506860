import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  namedMembers,
  objectAt,
  objectsAt,
  schemasOf,
  type TypeUse,
  textAt,
  typeUse,
} from './csdl-members.ts';
import type { Terms } from './vocabulary-terms.ts';
import { element, type XmlElement } from './xml-element.ts';

/**
 * Converts a CSDL JSON document of a service or vocabulary to CSDL XML (CSDL JSON and XML 4.01). `terms` has
 * the types of annotations.
 */
export function documentElement(document: JsonObject, terms: Terms): XmlElement {
  const references = Object.entries(objectAt(document, '$Reference') ?? {}).map(([uri, reference]) =>
    referenceElement(uri, reference, terms),
  );
  const schemas = schemasOf(document).map(([namespace, schema]) => schemaElement(namespace, schema, terms));
  return element('edmx:Edmx', { 'xmlns:edmx': EDMX, Version: textAt(document, '$Version') }, [
    ...references,
    element('edmx:DataServices', {}, schemas),
  ]);
}

/** The XML namespaces of CSDL documents (CSDL XML 4.01, 2.1 and 2.2). */
const EDMX = 'http://docs.oasis-open.org/odata/ns/edmx';
const EDM = 'http://docs.oasis-open.org/odata/ns/edm';

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
    ...Object.entries(objectAt(schema, '$Annotations') ?? {}).map(([target, annotations]) =>
      element(
        'Annotations',
        { Target: target },
        isObject(annotations) ? annotationElements(annotations, terms) : [],
      ),
    ),
  ]);
}

function memberElement(name: string, member: JsonObject, terms: Terms): XmlElement {
  const kind = textAt(member, '$Kind');
  switch (kind) {
    case 'Term':
      return termElement(name, member, terms);
    case 'ComplexType':
    case 'EntityType':
      return structuredElement(kind, name, member, terms);
    case 'EntityContainer':
      return containerElement(name, member, terms);
    case 'EnumType':
      return enumElement(name, member, terms);
    case 'TypeDefinition':
      return element('TypeDefinition', { Name: name, ...underlyingType(member), ...facets(member) }, [
        ...annotationElements(member, terms),
      ]);
    default:
      throw new Error(`${name} is of an unknown kind: ${kind}`);
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

function structuredElement(
  kind: 'ComplexType' | 'EntityType',
  name: string,
  type: JsonObject,
  terms: Terms,
): XmlElement {
  const key = listAt(type, '$Key').map(keyReference);
  const attributes = {
    Name: name,
    BaseType: textAt(type, '$BaseType'),
    Abstract: flag(type, '$Abstract'),
    OpenType: flag(type, '$OpenType'),
    HasStream: flag(type, '$HasStream'),
  };
  return element(kind, attributes, [
    key.length === 0 ? undefined : element('Key', {}, key),
    ...namedMembers(type).flatMap(([member, property]) =>
      isObject(property) ? [propertyElement(member, property, terms)] : [],
    ),
    ...annotationElements(type, terms),
  ]);
}

/** A key part given by a path has an alias (6.5). */
function keyReference(part: Json): XmlElement {
  const [[alias, path] = []] = isObject(part) ? Object.entries(part) : [];
  return element('PropertyRef', { Name: String(path ?? part), Alias: alias });
}

function propertyElement(name: string, property: JsonObject, terms: Terms): XmlElement {
  if (property['$Kind'] === 'NavigationProperty') return navigationElement(name, property, terms);
  const attributes = { Name: name, ...valueAttributes(property), DefaultValue: defaultValue(property) };
  return element('Property', attributes, annotationElements(property, terms));
}

function navigationElement(name: string, property: JsonObject, terms: Terms): XmlElement {
  const { Type, Nullable } = valueAttributes(property);
  const attributes = {
    Name: name,
    Type,
    Nullable: property['$Collection'] === true ? undefined : Nullable,
    Partner: textAt(property, '$Partner'),
    ContainsTarget: flag(property, '$ContainsTarget'),
  };
  return element('NavigationProperty', attributes, [
    ...pairElements(property, 'ReferentialConstraint', 'Property', 'ReferencedProperty'),
    ...annotationElements(property, terms),
  ]);
}

/** Members of one object in JSON are separate elements in XML, with a name and a value. */
function pairElements(object: JsonObject, name: string, own: string, other: string): readonly XmlElement[] {
  const pairs = Object.entries(objectAt(object, `$${name}`) ?? {});
  return pairs.map(([key, value]) => element(name, { [own]: key, [other]: String(value) }));
}

/** The entity container (13). */
function containerElement(name: string, container: JsonObject, terms: Terms): XmlElement {
  return element('EntityContainer', { Name: name }, [
    ...annotationElements(container, terms),
    ...namedMembers(container).flatMap(([member, value]) =>
      isObject(value) ? [resourceElement(member, value, terms)] : [],
    ),
  ]);
}

function resourceElement(name: string, resource: JsonObject, terms: Terms): XmlElement {
  const type = textAt(resource, '$Type');
  const isSet = flag(resource, '$Collection') === true;
  const [action, called] = [textAt(resource, '$Action'), textAt(resource, '$Function')];
  const single = type === undefined ? 'FunctionImport' : 'Singleton';
  const kind = action === undefined ? (isSet ? 'EntitySet' : single) : 'ActionImport';
  const attributes = {
    Name: name,
    [isSet ? 'EntityType' : 'Type']: type,
    Action: action,
    Function: called,
    EntitySet: textAt(resource, '$EntitySet'),
    IncludeInServiceDocument: constantAt(resource, '$IncludeInServiceDocument'),
  };
  return element(kind, attributes, [
    ...pairElements(resource, 'NavigationPropertyBinding', 'Path', 'Target'),
    ...annotationElements(resource, terms),
  ]);
}

function enumElement(name: string, type: JsonObject, terms: Terms): XmlElement {
  const isAnnotated = Object.keys(type).some((each) => each.indexOf('@') > 0);
  const members = namedMembers(type).map(([member, value]) => {
    const annotations = isAnnotated ? annotationElements(type, terms, member) : [];
    return element('Member', { Name: member, Value: String(value) }, annotations);
  });
  const attributes = { Name: name, IsFlags: flag(type, '$IsFlags'), ...underlyingType(type) };
  return element('EnumType', attributes, [...members, ...annotationElements(type, terms)]);
}

function functionElement(name: string, overload: JsonObject, terms: Terms): XmlElement {
  const kind = textAt(overload, '$Kind');
  if (kind !== 'Function' && kind !== 'Action') {
    throw new Error(`An overload of ${name} is of an unknown kind: ${kind}`);
  }
  const returns = objectAt(overload, '$ReturnType');
  const attributes = {
    Name: name,
    IsBound: flag(overload, '$IsBound'),
    IsComposable: flag(overload, '$IsComposable'),
    EntitySetPath: textAt(overload, '$EntitySetPath'),
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

/**
 * The default of Nullable is false in JSON and true in XML, where it does not apply to collections (CSDL
 * 4.01, 7.2.1).
 */
function valueAttributes(value: JsonObject): XmlElement['attributes'] {
  const { type, collection } = typeUse(value);
  const nullable = value['$Nullable'] === true;
  return {
    Type: collection ? `Collection(${type})` : type,
    Nullable: nullable && !collection ? undefined : nullable,
    ...facets(value, type),
  };
}

/** The default scale is variable in JSON and 0 in XML (7.2.4). */
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
 * The annotations of an object or one of its members. The terms determine what XML writes with each value:
 * enumeration members, dates, paths (CSDL JSON and XML 4.01, 14.3).
 */
function annotationElements(object: JsonObject, terms: Terms, member = ''): readonly XmlElement[] {
  const prefix = `${member}@`;
  const names = Object.keys(object).filter((name) => name.startsWith(prefix));
  return names.flatMap((name) => {
    const [term, value] = [name.slice(prefix.length), object[name]];
    if (value === undefined || !term.includes('.') || /@|^odata\./.test(term)) return [];
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

/** A constant, which may be written as an attribute, or an element. */
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
  if (isObject(value)) return pathConstant(value) ?? recordElement(value, use, terms);
  if (typeof value !== 'object') return constantOf(value, use?.type, terms);
  const items = value.map((item) => expressionOf(item, use && { ...use, collection: false }, terms));
  return element(
    'Collection',
    {},
    items.map((item) => (isConstant(item) ? element(item[0], {}, [], item[1]) : item)),
  );
}

/** A value path (CSDL JSON 4.01, 14.4.1.7). */
function pathConstant(value: JsonObject): readonly [string, string] | undefined {
  const path = textAt(value, '$Path');
  return path === undefined ? undefined : ['Path', path];
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
  if (typeof value === 'number')
    return [numberConstant(value, underlying), String(value).replace(/e\+?/, 'E')];
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

/** Constants whose element is not named like their type. */
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
