import { type DocumentNode, items, member, members, text } from './document-node.ts';

/**
 * The schemas of a document that have an `$id` or an `$anchor` (JSON Schema 2020-12, 8.2), by what refers to
 * them: `https://example.com/pet`, `https://example.com/pet#tag`, `#tag`.
 */
export function identifiedSchemas(root: DocumentNode): ReadonlyMap<string, DocumentNode> {
  const found = new Map<string, DocumentNode>();
  const waiting: Place[] = [{ node: root, base: '' }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { node } = place;
    const id = text(member(node, '$id'));
    const anchor = text(member(node, '$anchor'));
    const base = id ?? place.base;
    if (id !== undefined) found.set(id, node);
    if (anchor !== undefined) found.set(`${base}#${anchor}`, node);
    for (const inner of partsOf(node)) waiting.push({ node: inner, base });
  }
  return found;
}

interface Place {
  readonly node: DocumentNode;
  /** The `$id` of the schema that it is part of. */
  readonly base: string;
}

/** What stands here is data: it identifies nothing. */
const DATA = /^(?:example|examples|default|const|enum|x-.*)$/;

function partsOf(node: DocumentNode): readonly DocumentNode[] {
  if (Array.isArray(node.value)) return items(node);
  return members(node).flatMap(([name, inner]) => (DATA.test(name) ? [] : [inner]));
}

/** The `$id` of the innermost schema with one that the pointer leads into, or an empty text. */
export function baseAt(root: DocumentNode, identified: ReadonlyMap<string, DocumentNode>, pointer: string) {
  const above = [...identified].filter(
    ([name, node]) => !name.includes('#') && node !== root && `${pointer}/`.startsWith(`${node.pointer}/`),
  );
  const [innermost] = above.toSorted(([, a], [, b]) => b.pointer.length - a.pointer.length);
  return innermost?.[0] ?? '';
}
