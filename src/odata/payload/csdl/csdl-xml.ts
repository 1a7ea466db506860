import type { Model } from '../../../model/model.ts';
import type { ODataVersion } from '../negotiation/format.ts';
import { documentElement } from './csdl-elements.ts';
import { csdlDocument } from './csdl-json.ts';
import type { JsonObject } from './csdl-members.ts';
import { METADATA_TERMS } from './metadata-terms.ts';
import { PUBLISHED_VOCABULARIES } from './vocabulary-uri.ts';
import { element, writeXml, type XmlElement } from './xml-element.ts';

/**
 * Writes the model as CSDL XML (CSDL XML 4.01, section 3) of version 4.01 or 4.0.
 *
 * Valid against the XML schemas of both versions: keys come first, annotations follow their targets, and all
 * used vocabularies are referenced.
 */
export function writeCsdlXml(
  model: Model,
  version: ODataVersion,
  vocabularies = PUBLISHED_VOCABULARIES,
): string {
  return writeXml(csdlXmlElement(csdlDocument(model, version, vocabularies, 'xml')));
}

/** The XML form of a CSDL JSON document. */
export function csdlXmlElement(document: JsonObject): XmlElement {
  return mapNamed('Schema', documentElement(document, METADATA_TERMS), withTargets);
}

/** Replaces the child elements with that name. */
function mapNamed(name: string, of: XmlElement, change: (each: XmlElement) => XmlElement): XmlElement {
  if (of.name === name) return change(of);
  return { ...of, children: of.children.map((child) => mapNamed(name, child, change)) };
}

/** Elements with a unique name in the schema (CSDL XML 4.01, 14.2.2). */
const NAMED: ReadonlySet<string> = new Set([
  'EntityType',
  'ComplexType',
  'EnumType',
  'TypeDefinition',
  'EntityContainer',
]);

/** Elements with a unique name in those. */
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
 * Moves annotations to the end of the schema, with full names of their targets, because some tools only find
 * them there. Those of functions, actions and parameters stay, because their targets would have to name the
 * overload.
 */
function withTargets(schema: XmlElement): XmlElement {
  const annotated: XmlElement[] = [];
  const namespace = String(schema.attributes['Namespace']);
  const parts = schema.children.filter((child) => !isAnnotation(child));
  const bare = parts.map((part) =>
    NAMED.has(part.name) ? withoutOwn(part, namespace, '.', annotated) : part,
  );
  return { ...schema, children: [...bare, ...annotated, ...schema.children.filter(isAnnotation)] };
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
