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

/** Writes an XML document with one element per line; `step` is the indentation of a child. */
export function writeXml(root: XmlElement, step = '  '): string {
  const lines = ['<?xml version="1.0" encoding="utf-8"?>\n'];
  writeElement(root, '', step, lines);
  return lines.join('');
}

function writeElement(
  { name, attributes, children, text }: XmlElement,
  indent: string,
  step: string,
  lines: string[],
): void {
  let start = `${indent}<${name}`;
  for (const attribute in attributes) {
    const value = attributes[attribute];
    if (value !== undefined) start += ` ${attribute}="${escapeText(String(value))}"`;
  }
  if (text !== undefined) lines.push(`${start}>${escapeText(text)}</${name}>\n`);
  else if (children.length === 0) lines.push(`${start}/>\n`);
  else {
    lines.push(`${start}>\n`);
    for (const child of children) writeElement(child, indent + step, step, lines);
    lines.push(`${indent}</${name}>\n`);
  }
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

/** Most values have neither a reserved nor a forbidden character. */
const PLAIN = /^[\w .,:;/()#@$*+-]*$/;

function escapeText(value: string): string {
  if (PLAIN.test(value)) return value;
  return value
    .replace(FORBIDDEN, '\u{FFFD}')
    .replace(/[&<>"\t\n\r]/g, (character) => ENTITIES.get(character) ?? '');
}
