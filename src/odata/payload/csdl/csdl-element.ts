import type { Annotation, AnnotationValue } from './csdl-annotation.ts';

/** An element of an XML document; attributes that are undefined are left out. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly children: readonly XmlElement[];
  /** What an element without children holds. */
  readonly text: string | undefined;
}

export function element(
  name: string,
  attributes: XmlElement['attributes'],
  children: readonly (XmlElement | undefined)[] = [],
  text?: string,
): XmlElement {
  return { name, attributes, children: children.filter((child) => child !== undefined), text };
}

/** Writes the element as an XML document, one element in each line. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${writeElement(root, '')}`;
}

function writeElement({ name, attributes, children, text }: XmlElement, indent: string): string {
  const written = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [` ${attribute}="${escapeText(String(value))}"`],
  );
  const start = `${indent}<${name}${written.join('')}`;
  if (text !== undefined) return `${start}>${escapeText(text)}</${name}>\n`;
  if (children.length === 0) return `${start}/>\n`;
  const inner = children.map((child) => writeElement(child, `${indent}  `)).join('');
  return `${start}>\n${inner}${indent}</${name}>\n`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
]);

/** Characters that no XML 1.0 document may have (XML 1.0, 2.2): not even as a reference. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

function escapeText(value: string): string {
  return value
    .replace(FORBIDDEN, '\u{FFFD}')
    .replace(/[&<>"\t\n\r]/g, (character) => ENTITIES.get(character) ?? '');
}

/** An annotation as an element: constants as attributes, records and collections as elements in it. */
export function annotationElement({
  vocabulary,
  term,
  qualifier,
  value,
  annotations,
}: Annotation): XmlElement {
  const inline = inlineValue(value);
  const inner = annotations.map(annotationElement);
  const expression = inline === undefined ? expressionElement(value) : undefined;
  return element('Annotation', { Term: `${vocabulary}.${term}`, Qualifier: qualifier, ...inline }, [
    ...inner,
    expression,
  ]);
}

/** The attribute that a constant is written as; undefined for what is written as an element. */
function inlineValue(value: AnnotationValue): XmlElement['attributes'] | undefined {
  switch (value.kind) {
    case 'string':
      return { String: value.value };
    case 'bool':
      return { Bool: value.value };
    case 'decimal':
      return { Decimal: String(value.value).replace('e+', 'E').replace('e', 'E') };
    case 'int':
      return { Int: value.value };
    case 'enumeration':
      return { EnumMember: value.members.map((member) => `${value.type}/${member}`).join(' ') };
    case 'path':
      return { PropertyPath: value.path };
    case 'navigationPath':
      return { NavigationPropertyPath: value.path };
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
    case 'path':
      return element('PropertyPath', {}, [], value.path);
    case 'navigationPath':
      return element('NavigationPropertyPath', {}, [], value.path);
    case 'string':
      return element('String', {}, [], value.value);
    case 'bool':
    case 'decimal':
    case 'int':
    case 'enumeration':
      // Only paths, texts and records are items of the collections that we write.
      return undefined;
  }
}

function propertyValueElement([property, value]: readonly [string, AnnotationValue]): XmlElement {
  const inline = inlineValue(value);
  const attributes = { Property: property, ...inline };
  return element('PropertyValue', attributes, inline === undefined ? [expressionElement(value)] : []);
}
