import type { OpenApiDocument } from '../parse/openapi-version.ts';
import { member, nodeAt, nodeBelow, rootNode, text } from './document-node.ts';
import { decodeFragment } from './document-source.ts';

/**
 * The JSON pointers of the references that lead in a circle without ever arriving at something, such as two
 * schemas each of which is a reference to the other. What contains a reference to itself, as a tree does, is none.
 */
export function referenceCycles(document: OpenApiDocument): readonly string[] {
  const known = new Map<unknown, boolean>();
  const seen = new Set<unknown>();
  const found: string[] = [];
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (leadsInCircle(document, value, known)) found.push(pointer);
    for (const [name, inner] of Object.entries(value)) {
      visit(inner, nodeBelow({ value, pointer }, name, inner).pointer);
    }
  };
  visit(document, '');
  return found;
}

/** What is known of one reference is known of all that lead to it: each is followed once. */
function leadsInCircle(document: OpenApiDocument, start: unknown, known: Map<unknown, boolean>): boolean {
  const chain = new Set<unknown>();
  let at: unknown = start;
  let isCircle = known.get(at);
  while (isCircle === undefined) {
    chain.add(at);
    at = referenced(document, at);
    isCircle = at === undefined ? false : chain.has(at) ? true : known.get(at);
  }
  for (const each of chain) known.set(each, isCircle);
  return isCircle;
}

function referenced(document: OpenApiDocument, value: unknown): unknown {
  const reference = text(member({ value, pointer: '' }, '$ref'));
  if (reference === undefined || !reference.startsWith('#')) return undefined;
  return nodeAt(rootNode(document), decodeFragment(reference.slice(1)))?.value;
}
