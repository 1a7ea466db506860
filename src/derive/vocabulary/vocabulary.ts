import { isNear } from '../../model/names.ts';
import {
  type DocumentNode,
  items,
  member,
  members,
  nodeBelow,
  rootNode,
  text,
  texts,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import { PATH_ITEM_METHODS } from '../../openapi/document/path-item.ts';
import type { Schema } from '../../openapi/schemas/schema.ts';
import { readMaxAge, readRate } from './times.ts';

/** The positions of `x-odata`; docs/x-odata.md describes each word. */
type VocabularyPlace = 'document' | 'tag' | 'path' | 'operation' | 'record' | 'value';

/** The editions of the rules for relations and generated names, the oldest first. A document can keep one of them. */
export const EDITIONS = ['2026-11', '2026-12'] as const;

/** Returns the mistake in a value, or undefined. */
type Check = (node: DocumentNode) => string | undefined;

const string: Check = ({ value }) => (typeof value === 'string' && value !== '' ? undefined : 'a text');
const boolean: Check = ({ value }) => (typeof value === 'boolean' ? undefined : 'true or false');
const natural: Check = ({ value }) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : 'a whole number from 0';

const positive: Check = (node) =>
  natural(node) === undefined && node.value !== 0 ? undefined : 'a whole number from 1';

function list(of: Check): Check {
  return (node) =>
    Array.isArray(node.value) && items(node).every((item) => of(item) === undefined) ? undefined : 'a list';
}

function map(of: Check, expected: string): Check {
  return (node) => {
    const isMap = typeof node.value === 'object' && node.value !== null && !Array.isArray(node.value);
    return isMap && members(node).every(([, value]) => of(value) === undefined) ? undefined : expected;
  };
}

function either(a: Check, b: Check): Check {
  return (node) => (a(node) === undefined ? undefined : b(node) && [a(node), b(node)].join(' or '));
}

function oneOf(...allowed: readonly string[]): Check {
  return (node) => (allowed.includes(text(node) ?? '') ? undefined : allowed.map(quote).join(' or '));
}

function record(keys: Keys): Check {
  return (node) => {
    if (typeof node.value !== 'object' || node.value === null || Array.isArray(node.value)) return 'a map';
    const wrong = members(node).find(
      ([name, value]) => keys.get(name)?.(value) !== undefined || !keys.has(name),
    );
    return wrong === undefined ? undefined : `a map of ${[...keys.keys()].join(', ')}`;
  };
}

type Keys = ReadonlyMap<string, Check>;

const maxAge: Check = (node) =>
  readMaxAge(text(node)) === undefined ? 'a time such as 30s, 5m, 1h or 1d, or api' : undefined;
const rate: Check = (node) =>
  readRate(text(node)) === undefined ? 'a number of calls in a time, such as 60/min' : undefined;

const grants = map(
  list(oneOf('View', 'Insert', 'Update', 'Delete', 'Call')),
  'a map of roles to lists of View, Insert, Update, Delete, Call',
);
const streamKeys: Keys = new Map([
  ['get', string],
  ['put', string],
  ['delete', string],
  ['contentType', string],
  ['etag', string],
]);

const ui: Check = record(
  new Map([
    ['label', string],
    ['hidden', boolean],
    ['plural', string],
    ['title', string],
    ['description', string],
    ['columns', list(string)],
    ['filters', list(string)],
    ['groups', map(list(string), 'a map of labels to lists of properties')],
    ['texts', map(string, 'a map of properties to paths')],
  ]),
);

const VALUE: Keys = new Map([
  ['name', string],
  ['type', string],
  ['precision', natural],
  ['scale', natural],
  ['searchable', boolean],
  ['immutable', boolean],
  ['mediaType', string],
  ['enum', either(string, oneOfBoolean)],
  ['flags', boolean],
  ['members', map(either(string, integer), 'a map of names to values')],
  ['derive', oneOfBoolean],
  ['all', either(string, oneOfBoolean)],
  ['ui', ui],
]);

function oneOfBoolean({ value }: DocumentNode): string | undefined {
  return value === false ? undefined : 'false';
}

function zeroOrOne({ value }: DocumentNode): string | undefined {
  return value === 0 || value === 1 ? undefined : '0 or 1';
}

function integer({ value }: DocumentNode): string | undefined {
  return Number.isSafeInteger(value) ? undefined : 'an integer';
}

/** The keys of `x-odata` by where it stands: each with what its value must be. */
export const VOCABULARY: Readonly<Record<VocabularyPlace, Keys>> = {
  document: new Map([
    ['namespace', string],
    ['container', string],
    ['schemaVersion', string],
    ['grants', grants],
    ['strict', boolean],
    ['setNames', oneOf('plural')],
    ['derive', either(oneOfBoolean, oneOf(...EDITIONS))],
    ['maxAge', maxAge],
    ['rate', rate],
  ]),
  tag: new Map([['grants', grants]]),
  path: new Map([
    ['grants', grants],
    ['derive', oneOfBoolean],
    ['maxAge', maxAge],
    ['rate', rate],
  ]),
  operation: new Map([
    ['function', string],
    ['action', string],
    ['bound', string],
    ['overloads', list(list(string))],
    ['addRef', string],
    ['removeRef', string],
    ['body', oneOf('verbatim')],
    ['failure', string],
    ['entitySet', either(string, oneOfBoolean)],
    ['pageOf', string],
    ['items', string],
    ['total', string],
    ['top', string],
    ['skip', string],
    ['orderBy', string],
    ['since', string],
    ['removed', string],
    ['next', string],
    ['page', string],
    ['cursor', string],
    ['more', string],
    ['first', zeroOrOne],
    ['maxTop', positive],
    ['filters', map(string, 'a map of properties to parameters')],
    ['derive', oneOfBoolean],
    ['maxAge', maxAge],
    ['rate', rate],
    ['grants', map(list(oneOf('Call')), 'a map of roles to [Call]')],
  ]),
  record: new Map([
    ...VALUE,
    ['entitySet', string],
    ['singleton', string],
    ['key', either(string, list(string))],
    ['alternateKeys', list(list(string))],
    ['etag', string],
    ['grants', grants],
    ['hasStream', boolean],
    ['stream', record(streamKeys)],
    ['streams', list(record(new Map([...streamKeys, ['name', string]])))],
    ['changes', string],
    ['pageSize', positive],
    ['maxAge', maxAge],
    ['rate', rate],
    ['references', map(either(string, oneOfBoolean), 'a map of properties to entity sets')],
  ]),
  value: VALUE,
};

/**
 * Marks words of a schema's `x-odata` as effective, so that they are not reported. Of equal words in several
 * layers, the outermost counts.
 */
export function markUsed(
  { usedKeywords }: DocumentSource,
  { layers }: Schema,
  words: readonly string[],
): void {
  for (const word of words) {
    const settings = layers
      .map((layer) => member(layer, 'x-odata'))
      .find((said) => member(said, word) !== undefined);
    if (settings !== undefined)
      usedKeywords.set(settings.value, (usedKeywords.get(settings.value) ?? new Set()).add(word));
  }
}

/** Members whose content is the API's data, not its description. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);
/** Members whose own members have names that are the API's. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'schemas', '$defs', 'patternProperties']);

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
  return settings === undefined ? [] : [{ place: vocabularyPlace(node, node.pointer.split('/')), settings }];
}

function vocabularyPlace(node: DocumentNode, tokens: readonly string[]): VocabularyPlace {
  if (node.pointer === '') return 'document';
  if (/^\/tags\/\d+$/.test(node.pointer)) return 'tag';
  const isPath = isPathItems(tokens.slice(0, -1));
  const isMethod = PATH_ITEM_METHODS.has(tokens.at(-1) ?? '') && isPathItems(tokens.slice(0, -2));
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

/** Reports every key of every `x-odata` that the vocabulary does not know, and every value that does not fit its key. */
export function checkVocabulary({ report }: DocumentSource, placed: readonly PlacedSettings[]): void {
  for (const { place, settings } of placed) checkSettings(report, place, settings);
}

function checkSettings(
  report: DocumentSource['report'],
  place: VocabularyPlace,
  settings: DocumentNode,
): void {
  if (settings.value === false) {
    if (place === 'document') report('error', settings.pointer, 'The whole document cannot be hidden');
    if (place === 'tag')
      report('error', settings.pointer, 'A tag hides nothing: hide its operations or paths');
    return;
  }
  if (typeof settings.value !== 'object' || settings.value === null || Array.isArray(settings.value)) {
    report('error', settings.pointer, `x-odata is a map or false, not ${quote(settings.value)}`);
    return;
  }
  const keys = VOCABULARY[place];
  for (const [name, node] of members(settings)) {
    const check = keys.get(name);
    const expected = check?.(node);
    if (check === undefined) report('error', node.pointer, unknownKey(name, [...keys.keys()]));
    else if (expected !== undefined) {
      report('error', node.pointer, `${name} is ${expected}, not ${quote(node.value)}`);
    }
  }
}

function unknownKey(name: string, known: readonly string[]): string {
  const near = known.find((key) => isNear(name, key));
  if (near !== undefined) return `x-odata has no key ${quote(name)}: is ${near} meant?`;
  const allowed = known.length === 0 ? 'here it can only be false' : `here it has ${known.join(', ')}`;
  return `x-odata has no key ${quote(name)}: ${allowed}`;
}
