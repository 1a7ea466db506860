import { isObject } from '../../core/json-object.ts';
/**
 * A place in an untrusted document: what stands there, and the JSON pointer (RFC 6901) to it.
 *
 * Names in documents are anybody's: members are reached through these functions only, which see own
 * members and nothing of a prototype.
 */
export interface DocumentNode {
  readonly value: unknown;
  readonly pointer: string;
  /** The places of the schemas that all hold of one value, where it is more than this one. */
  readonly joined?: JoinedNodes | undefined;
}

/** Schemas that hold of one value without standing in one `allOf`: each part of one describes the same property. */
export interface JoinedNodes {
  /** A pointer to where the schema would stand that is all of them. */
  readonly identity: string;
  /** The outermost first. */
  readonly nodes: readonly DocumentNode[];
}

export function rootNode(document: unknown): DocumentNode {
  return { value: document, pointer: '' };
}

export function isObjectNode(node: DocumentNode): boolean {
  return isObject(node.value);
}

/** What stands in a node under a name. */
export function nodeBelow(node: DocumentNode, name: string, value: unknown): DocumentNode {
  return { value, pointer: `${node.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

/** The member of an object, or undefined where there is none. */
export function member(node: DocumentNode | undefined, name: string): DocumentNode | undefined {
  if (node === undefined || !isObject(node.value) || !Object.hasOwn(node.value, name)) return undefined;
  return nodeBelow(node, name, node.value[name]);
}

/** The members of an object, in its order; none where the node is no object. */
export function members(node: DocumentNode | undefined): readonly (readonly [string, DocumentNode])[] {
  if (node === undefined || !isObject(node.value)) return [];
  return Object.entries(node.value).map(([name, value]) => [name, nodeBelow(node, name, value)] as const);
}

/** The items of an array; none where the node is no array. */
export function items(node: DocumentNode | undefined): readonly DocumentNode[] {
  if (node === undefined || !Array.isArray(node.value)) return [];
  return Array.from(node.value, (value, index) => nodeBelow(node, String(index), value));
}

export function text(node: DocumentNode | undefined): string | undefined {
  return typeof node?.value === 'string' ? node.value : undefined;
}

/** A text for people; undefined for an empty one. */
export function prose(node: DocumentNode | undefined): string | undefined {
  const written = text(node);
  return written?.trim() === '' ? undefined : written;
}

export function number(node: DocumentNode | undefined): number | undefined {
  return typeof node?.value === 'number' ? node.value : undefined;
}

export function isTrue(node: DocumentNode | undefined): boolean {
  return node?.value === true;
}

/** Whether a part of a document is not to be exposed. */
export function isHidden(node: DocumentNode): boolean {
  return member(node, 'x-odata')?.value === false;
}

/** The texts in an array, or the one text that stands in its place. */
export function texts(node: DocumentNode | undefined): readonly string[] {
  const single = text(node);
  if (single !== undefined) return [single];
  return items(node).flatMap((item) => text(item) ?? []);
}

/** The node that a JSON pointer leads to from the root, or undefined. */
export function nodeAt(root: DocumentNode, pointer: string): DocumentNode | undefined {
  return pointerNames(pointer).reduce<DocumentNode | undefined>(step, root);
}

/** The names in a JSON pointer. */
export function pointerNames(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function step(node: DocumentNode | undefined, token: string): DocumentNode | undefined {
  if (!Array.isArray(node?.value)) return member(node, token);
  return /^\d+$/.test(token) ? items(node)[Number(token)] : undefined;
}
