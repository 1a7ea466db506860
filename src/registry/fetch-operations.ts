import type { DocumentOperation, Examination, OperationChanges } from '../contract/api-report.ts';
import { UnconfirmedChange } from '../contract/service-changes.ts';
import {
  type DocumentNode,
  member,
  members,
  nodeAt,
  nodeBelow,
  rootNode,
  text,
} from '../openapi/document/document-node.ts';
import { unconfirmed } from './apis/assert-confirmed.ts';
import type { ExaminedText } from './apis/examinations.ts';
import { type FoundApi, findApi } from './apis/registry.ts';
import type { ChangeDependencies } from './apis/store-changes.ts';
import { assertDocument } from './assert-document.ts';
import { replaceApi } from './replace-api.ts';

/** The last seen document of each API, by name. */
export type SeenApis = Map<string, ExaminedText>;

/** The URL of a document, and the confirmed changes. */
interface FetchOrder {
  readonly url: string | undefined;
  readonly by: string | null;
  readonly confirmed: readonly string[];
}

/**
 * Reads the document of an API again, from the given or known URL or else from its file, and reports the
 * changes since it was last seen. An empty URL selects the file.
 */
export async function fetchOperations(
  dependencies: ChangeDependencies,
  seen: SeenApis,
  name: string,
  { url: givenUrl, ...order }: FetchOrder,
  fetchText: (url: string) => Promise<string>,
): Promise<OperationChanges> {
  const found = await findApi(dependencies, name);
  const earlier = seen.get(name) ?? found;
  const url = givenUrl ?? found.entry.registration?.fetchUrl ?? '';
  if (url === '' && found.entry.source !== undefined) await serveFile(dependencies, order.confirmed);
  const later =
    url === '' ? found : await fetchFrom(dependencies, { url, ...order }, found, await fetchText(url));
  seen.set(name, later);
  return {
    changed: later.digest !== earlier.digest,
    ...compareOperations(earlier.examination, later.examination),
  };
}

/**
 * Serves the file after it was edited; a failure is part of the report. Throws Conflict for unconfirmed
 * breaking changes.
 */
async function serveFile(
  { settle, needsGrants }: ChangeDependencies,
  confirmed: readonly string[],
): Promise<void> {
  try {
    await settle(confirmed);
  } catch (error) {
    if (error instanceof UnconfirmedChange) throw unconfirmed(error.changes, needsGrants);
  }
}

async function fetchFrom(
  dependencies: ChangeDependencies,
  { url, by, confirmed }: FetchOrder & { readonly url: string },
  { digest, entry }: FoundApi,
  document: string,
): Promise<ExaminedText> {
  const { name, file } = entry;
  const fetched = await dependencies.examinations.ofText(document, name, file);
  assertDocument(fetched.examination, 'url');
  // An unchanged document is not written, but its URL is stored.
  const kept = fetched.digest === digest ? undefined : document;
  await replaceApi(dependencies, name, { document: kept, fetchUrl: url }, { by, confirmed });
  return fetched;
}

type Described = Pick<Examination, 'document' | 'operations'>;

/** Operations are identified by method and path. */
function compareOperations(earlier: Described, later: Described): Omit<OperationChanges, 'changed'> {
  const known = byPlace(earlier.operations);
  const kept = byPlace(later.operations);
  const compare = operationComparer(earlier.document, later.document);
  return {
    added: later.operations.filter((operation) => !known.has(operationName(operation))).map(withoutResource),
    removed: earlier.operations
      .filter((operation) => !kept.has(operationName(operation)))
      .map(withoutResource),
    altered: later.operations.flatMap((operation) => {
      if (!known.has(operationName(operation))) return [];
      const what = compare(operation);
      return what.length === 0 ? [] : [{ ...withoutResource(operation), what }];
    }),
  };
}

function withoutResource({ id, method, path, summary }: DocumentOperation): DocumentOperation {
  return { id, method, path, summary };
}

function byPlace(operations: readonly DocumentOperation[]): ReadonlyMap<string, DocumentOperation> {
  return new Map(operations.map((operation) => [operationName(operation), operation]));
}

function operationName({ method, path }: DocumentOperation): string {
  return `${method} ${path}`;
}

/** Returns the changed parts of an operation. Each component is compared once. */
function operationComparer(
  earlier: unknown,
  later: unknown,
): (operation: DocumentOperation) => readonly string[] {
  const [before, after] = [rootNode(earlier), rootNode(later)];
  const references = new Map<string, readonly string[]>();
  const changed = new Map<string, boolean>();
  const referencesOf = (pointer: string): readonly string[] =>
    remember(references, pointer, () => referencesIn(nodeAt(after, pointer)?.value));
  const hasChanged = (pointer: string): boolean =>
    remember(changed, pointer, () => !isSame(nodeAt(before, pointer), nodeAt(after, pointer)));
  return (operation) => {
    const [old, now] = [operationNode(before, operation), operationNode(after, operation)];
    const names = new Set([...members(old), ...members(now)].map(([name]) => name));
    const own = [...names].filter((name) => !isSame(member(old, name), member(now, name)));
    const reached = new Set(referencesIn(now?.value));
    // The loop also visits items that are added while it runs.
    for (const pointer of reached) for (const next of referencesOf(pointer)) reached.add(next);
    return [...own, ...[...reached].filter(hasChanged).map(componentName)];
  };
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

function operationNode(root: DocumentNode, { method, path }: DocumentOperation): DocumentNode | undefined {
  const item = member(member(root, 'paths'), path);
  const target = text(member(item, '$ref'));
  return member(target?.startsWith('#/') ? nodeAt(root, target.slice(1)) : item, method.toLowerCase());
}

function isSame(a: DocumentNode | undefined, b: DocumentNode | undefined): boolean {
  return JSON.stringify(a?.value) === JSON.stringify(b?.value);
}

/** The pointers of the references in a value. */
function referencesIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const visit = (node: DocumentNode): void => {
    const target = text(member(node, '$ref'));
    if (target?.startsWith('#/')) found.push(target.slice(1));
    if (typeof node.value !== 'object' || node.value === null) return;
    for (const [name, inner] of Object.entries(node.value)) visit(nodeBelow(node, name, inner));
  };
  visit(rootNode(value));
  return found;
}

/** The name of a component in messages: `schema Post` for `/components/schemas/Post`. */
function componentName(pointer: string): string {
  const [, kind, name] = /^\/components\/([^/]+)\/([^/]+)$/.exec(pointer) ?? [];
  return kind === undefined ? pointer : `${kind.replace(/ies$/, 'y').replace(/s$/, '')} ${name}`;
}
