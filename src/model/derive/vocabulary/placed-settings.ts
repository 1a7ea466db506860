import {
  type DocumentNode,
  member,
  nodeBelow,
  rootNode,
  texts,
} from '../../../openapi/document/document-node.ts';
import type { VocabularyPlace } from './vocabulary.ts';

/** Members whose content is the API's data, not its description. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);
/** Members whose own members have names that are the API's. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'schemas', '$defs', 'patternProperties']);
const METHODS: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'patch',
  'head',
  'options',
  'trace',
]);

/** An `x-odata` of a document. */
export interface PlacedSettings {
  readonly place: VocabularyPlace;
  readonly settings: DocumentNode;
}

/** Every `x-odata` of a document. Each object is looked at once, however often the document refers to it. */
export function placedSettings(root: DocumentNode): readonly PlacedSettings[] {
  const placed: PlacedSettings[] = [];
  const seen = new Set<unknown>();
  const queue: Position[] = [{ value: root.value, name: '', above: undefined }];
  for (let position = queue.pop(); position !== undefined; position = queue.pop()) {
    const { value, name } = position;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    const isNamed = NAMED.has(name);
    if (!isNamed && Object.hasOwn(value, 'x-odata')) placed.push(...settingsOf(nodeOf(position)));
    for (const [inner, child] of Object.entries(value)) {
      const isOther = isNamed || (!DATA.has(inner) && !inner.startsWith('x-'));
      if (isOther) queue.push({ value: child, name: inner, above: position });
    }
  }
  return placed;
}

/** A place on the way through a document: few of them are worth a pointer. */
interface Position {
  readonly value: unknown;
  readonly name: string;
  readonly above: Position | undefined;
}

function nodeOf({ value, name, above }: Position): DocumentNode {
  return above === undefined ? rootNode(value) : nodeBelow(nodeOf(above), name, value);
}

function settingsOf(node: DocumentNode): readonly PlacedSettings[] {
  const settings = member(node, 'x-odata');
  return settings === undefined ? [] : [{ place: placeOf(node, node.pointer.split('/')), settings }];
}

function placeOf(node: DocumentNode, tokens: readonly string[]): VocabularyPlace {
  if (node.pointer === '') return 'document';
  if (/^\/tags\/\d+$/.test(node.pointer)) return 'tag';
  const isPath = isPathItems(tokens.slice(0, -1));
  const isMethod = METHODS.has(tokens.at(-1) ?? '') && isPathItems(tokens.slice(0, -2));
  if (isPath) return 'path';
  if (isMethod) return 'operation';
  return isRecord(node) ? 'record' : 'value';
}

function isPathItems(tokens: readonly string[]): boolean {
  return ['/paths', '/webhooks', '/components/pathItems'].includes(tokens.join('/'));
}

/** A schema whose values are objects, as far as it says so itself. */
function isRecord(node: DocumentNode): boolean {
  const has = (name: string) => member(node, name) !== undefined;
  const isObject = texts(member(node, 'type')).includes('object');
  return (
    isObject || has('properties') || has('allOf') || has('oneOf') || has('anyOf') || has('discriminator')
  );
}
