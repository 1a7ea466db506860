/** An element of an XML document, without undefined attributes. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly children: readonly XmlElement[];
  /** The content of an element without children. */
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

/** Writes an XML document with one element per line. */
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

/** Characters that are invalid in XML 1.0 (2.2), even as references. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

function escapeText(value: string): string {
  return value
    .replace(FORBIDDEN, '\u{FFFD}')
    .replace(/[&<>"\t\n\r]/g, (character) => ENTITIES.get(character) ?? '');
}
