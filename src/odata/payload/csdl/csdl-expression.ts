import type { Annotation, AnnotationValue } from './csdl-annotation.ts';
import { element, type XmlElement } from './csdl-element.ts';

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
