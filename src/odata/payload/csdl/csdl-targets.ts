import { element, type XmlElement } from './csdl-element.ts';

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
export function withTargets(namespace: string, parts: readonly XmlElement[]): readonly XmlElement[] {
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
