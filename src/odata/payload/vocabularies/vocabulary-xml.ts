import { element, writeXml, type XmlElement } from '../csdl/csdl-element.ts';
import type { Json, JsonObject } from '../csdl/csdl-json-annotation.ts';
import { EDM, EDMX } from '../csdl/csdl-namespaces.ts';
import { isObject, listAt, namedMembers, objectAt, objectsAt, textAt } from './csdl-object.ts';
import { annotationElements } from './vocabulary-annotation.ts';
import { schemasOf, type Terms, typeUse } from './vocabulary-terms.ts';

/**
 * Writes a vocabulary's CSDL JSON as CSDL XML: terms, the types of their values, functions and annotations, which is
 * what vocabularies consist of. `terms` says what annotations are.
 */
export function writeVocabularyXml(document: JsonObject, terms: Terms): string {
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
