import { isNear } from '../../near-name.ts';
import { type DocumentNode, member, members, nodeBelow, rootNode, texts } from './document-node.ts';
import { type DocumentSource, quote } from './document-source.ts';
import { VOCABULARY, type VocabularyPlace } from './vocabulary.ts';

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

/**
 * Reports every key of every `x-odata` that the vocabulary does not know, and every value that does not
 * fit its key. Each object is looked at once, however often the document refers to it.
 */
export function checkVocabulary({ root, report }: DocumentSource): void {
  const seen = new Set<unknown>();
  const queue: Position[] = [{ value: root.value, name: '', above: undefined }];
  for (let position = queue.pop(); position !== undefined; position = queue.pop()) {
    const { value, name } = position;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    const isNamed = NAMED.has(name);
    if (!isNamed && Object.hasOwn(value, 'x-odata')) checkObject(report, nodeOf(position));
    for (const [inner, child] of Object.entries(value)) {
      const isOther = isNamed || (!DATA.has(inner) && !inner.startsWith('x-'));
      if (isOther) queue.push({ value: child, name: inner, above: position });
    }
  }
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

function checkObject(report: DocumentSource['report'], node: DocumentNode): void {
  const settings = member(node, 'x-odata');
  if (settings !== undefined) checkSettings(report, placeOf(node, node.pointer.split('/')), settings);
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
