import { element, type XmlElement } from '../csdl/csdl-element.ts';
import type { Json, JsonObject } from '../csdl/csdl-json-annotation.ts';
import { isObject, namedMembers, textAt } from './csdl-object.ts';
import type { Terms, TypeUse } from './vocabulary-terms.ts';

/**
 * The annotations of an object, or of its member of that name, as elements. JSON leaves to the terms what XML says
 * with each value: whether a text is a member of an enumeration, a date or a path (CSDL JSON and XML 4.01, 14.3).
 */
export function annotationElements(object: JsonObject, terms: Terms, member = ''): readonly XmlElement[] {
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
