import { type DocumentNode, items, members, text } from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';

/** Where `x-odata` may stand; docs/x-odata.md describes each word. */
export type VocabularyPlace = 'document' | 'tag' | 'path' | 'operation' | 'record' | 'value';

/** What is wrong with a value, or undefined where it is as it should be. */
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
  ]),
  tag: new Map([['grants', grants]]),
  path: new Map([['grants', grants]]),
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
  ]),
  value: VALUE,
};
