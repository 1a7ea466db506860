import { isObject } from '../../core/json-object.ts';
/**
 * A value in an untrusted document with its JSON pointer (RFC 6901).
 *
 * Names in documents are arbitrary: members must be accessed through these functions, which see only own
 * members.
 */
export interface DocumentNode {
  readonly value: unknown;
  readonly pointer: string;
  /** All nodes of schemas that apply to the same value, if there are several. */
  readonly joined?: JoinedNodes | undefined;
}

/**
 * Schemas that apply to one value without a common `allOf`, because each part of an `allOf` describes the
 * same property.
 */
export interface JoinedNodes {
  /** A pointer that identifies the combination. */
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

/** The child node of that name. */
export function nodeBelow(node: DocumentNode, name: string, value: unknown): DocumentNode {
  return { value, pointer: `${node.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

/** The member of an object; undefined if it is missing. */
export function member(node: DocumentNode | undefined, name: string): DocumentNode | undefined {
  if (node === undefined || !isObject(node.value) || !Object.hasOwn(node.value, name)) return undefined;
  return nodeBelow(node, name, node.value[name]);
}

/** The members of an object in order; empty for other nodes. */
export function members(node: DocumentNode | undefined): readonly (readonly [string, DocumentNode])[] {
  if (node === undefined || !isObject(node.value)) return [];
  return Object.entries(node.value).map(([name, value]) => [name, nodeBelow(node, name, value)] as const);
}

/** The items of an array; empty for other nodes. */
export function items(node: DocumentNode | undefined): readonly DocumentNode[] {
  if (node === undefined || !Array.isArray(node.value)) return [];
  return Array.from(node.value, (value, index) => nodeBelow(node, String(index), value));
}

export function text(node: DocumentNode | undefined): string | undefined {
  return typeof node?.value === 'string' ? node.value : undefined;
}

/** A display text; undefined if empty. */
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

/** Whether `x-odata: false` hides a part of a document. */
export function isHidden(node: DocumentNode): boolean {
  return member(node, 'x-odata')?.value === false;
}

/** The texts of an array, or a single text. */
export function texts(node: DocumentNode | undefined): readonly string[] {
  const single = text(node);
  if (single !== undefined) return [single];
  return items(node).flatMap((item) => text(item) ?? []);
}

/** The node at a JSON pointer, if any. */
export function nodeAt(root: DocumentNode, pointer: string): DocumentNode | undefined {
  return pointerNames(pointer).reduce<DocumentNode | undefined>(step, root);
}

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
