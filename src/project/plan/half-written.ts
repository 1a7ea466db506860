import type { Finding } from '../../model/derive/model-from-openapi.ts';
import { isMapping, type OpenApiDocument, own } from '../../openapi/parse/openapi-version.ts';

/**
 * Signs that the text of a document has not been written to its end, though it can be read: a YAML text may end
 * anywhere. No sign is a mistake by itself; who loses something by such a document is not meant to.
 */
export function signsOfHalfWritten(source: string, document: OpenApiDocument): readonly Finding[] {
  const sign = (severity: Finding['severity'], pointer: string, message: string): Finding => ({
    severity,
    source,
    pointer,
    message: `${message}: it may be half written`,
  });
  if (!PARTS.some((part) => isMapping(own(document, part)))) {
    return [sign('error', '', `The document is expected to have one of ${PARTS.join(', ')}, but has none`)];
  }
  return [...unfinishedIn(document, '')].slice(0, MOST_SIGNS).map((found) => sign(...found));
}

/** OpenAPI 3.1.1, 4.8.1: a document has at least one of them. */
const PARTS = ['paths', 'components', 'webhooks'] as const;

const MOST_SIGNS = 10;

/** A warning where OpenAPI does not require what is missing; its place; what is missing. */
type Sign = readonly [severity: Finding['severity'], pointer: string, message: string];

/** Where any JSON may stand, or what is no business of OpenAPI. */
const FREE = /^(?:x-.*|examples?|default|const|enum|value)$/;

/** Members that hold objects by their names, and those that do not hold anything but objects. */
const MAPS: ReadonlySet<string> = new Set(['responses', 'content', 'properties', 'schemas', 'components']);
const OBJECTS: ReadonlySet<string> = new Set([...MAPS, 'schema', 'items', 'requestBody', 'paths']);

const METHODS: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
]);

function* unfinishedIn(value: unknown, pointer: string): Generator<Sign> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unfinishedIn(item, `${pointer}/${index}`);
    return;
  }
  if (!isMapping(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (member === null && (!FREE.test(name) || name === 'x-odata')) {
      yield ['error', place, 'A value is expected, but there is none'];
    } else if (
      typeof member === 'string' &&
      (OBJECTS.has(name) || MAPS.has(pointer.split('/').at(-1) ?? ''))
    ) {
      yield ['error', place, 'An object is expected, but a text found'];
    } else if (!FREE.test(name)) yield* unfinishedIn(member, place);
  }
  const lack = lackOf(value, pointer.split('/'));
  if (lack !== undefined) yield ['warning', pointer, lack];
}

/** What is not required where the names lead to, and hardly ever missing. */
function lackOf(
  value: OpenApiDocument,
  [, top, , method = '', part, status, ...deeper]: readonly string[],
): string | undefined {
  if (own(value, 'type') === 'array' && own(value, 'items') === undefined) {
    return 'An array is expected to say what its items are, but does not';
  }
  if (top !== 'paths' || !METHODS.has(method)) return undefined;
  if (part === undefined && own(value, 'responses') === undefined) {
    return 'An operation is expected to say what it answers, but does not';
  }
  const isGood = method === 'get' && part === 'responses' && status === '200' && deeper.length === 0;
  return isGood && own(value, 'content') === undefined && own(value, '$ref') === undefined
    ? 'The answer to a read is expected to have content, but has none'
    : undefined;
}
