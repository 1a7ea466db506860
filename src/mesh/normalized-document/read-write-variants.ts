import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';

/** Which way the values go: what is read only is not sent, what is written only does not come. */
export type Direction = 'request' | 'response';

/**
 * The pointers of the components whose values differ by the way they go, because they, or what they refer
 * to, have properties that are read only or written only, or are of one type or another: GraphQL has unions
 * and interfaces for what comes alone.
 */
export function readWriteVariants(root: DocumentNode): ReadonlySet<string> {
  const components = members(member(member(root, 'components'), 'schemas')).map(([, node]) => node);
  const scans = new Map(components.map((node) => [node.pointer, scan(node.value)]));
  const referring = new Map<string, string[]>();
  for (const [pointer, { references }] of scans) {
    for (const reference of references) {
      const known = referring.get(reference);
      if (known === undefined) referring.set(reference, [pointer]);
      else known.push(pointer);
    }
  }
  const differing = new Set<string>();
  const waiting = [...scans].flatMap(([pointer, { isDirected }]) => (isDirected ? [pointer] : []));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (differing.has(next)) continue;
    differing.add(next);
    waiting.push(...(referring.get(next) ?? []));
  }
  return differing;
}

interface Scan {
  readonly isDirected: boolean;
  /** The pointers that it refers to. */
  readonly references: ReadonlySet<string>;
}

function scan(schema: unknown): Scan {
  const references = new Set<string>();
  let isDirected = false;
  const waiting: DocumentNode[] = [{ value: schema, pointer: '' }];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const reference = text(member(node, '$ref'));
    if (reference?.startsWith('#')) references.add(reference.slice(1));
    isDirected ||= isTrue(member(node, 'readOnly')) || isTrue(member(node, 'writeOnly')) || isVaried(node);
    if (typeof node.value !== 'object' || node.value === null) continue;
    for (const value of Object.values(node.value)) waiting.push({ value, pointer: '' });
  }
  return { isDirected, references };
}

function isVaried(node: DocumentNode): boolean {
  const branches = [...items(member(node, 'oneOf')), ...items(member(node, 'anyOf'))];
  return branches.length > 1 || member(node, 'discriminator') !== undefined;
}
