export const OPENAPI = 'openapi: 3.1.0\n';
const NO_VERSION = 'It is not an OpenAPI document: it has no `openapi` version.';
const TOO_DEEP = 'The document is nested deeper than 256 levels.';
const BOMB = 'Its aliases stand for more than could be read: aliases of aliases of aliases.';

export function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');
}

/** Contents of files that are not OpenAPI documents, with the messages for their authors. */
export const BAD_FILES: readonly (readonly [string, string | Uint8Array, string])[] = [
  ['nothing', '', 'The file is empty.'],
  ['white space', ' \n\n', 'The file is empty.'],
  ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47]), 'The file is not text in UTF-8.'],
  ['a text', 'hello', 'It is not an OpenAPI document: it holds no object.'],
  ['a list', '- openapi: 3.1.0', 'It is not an OpenAPI document: it holds no object.'],
  ['null', 'null', 'It is not an OpenAPI document: it holds no object.'],
  [
    'YAML with a mistake',
    `${OPENAPI}info: a: b`,
    'It is neither YAML nor JSON: Nested mappings are not allowed in compact mappings at line 2, column 7.',
  ],
  [
    'JSON with a mistake',
    '{"openapi": "3.1.0",\n "info" {}}',
    'It is neither YAML nor JSON: Missing , or : between flow map items at line 2, column 9.',
  ],
  [
    'several documents',
    `${OPENAPI}---\n${OPENAPI}`,
    'It is neither YAML nor JSON: Source contains multiple documents; please use YAML.parseAllDocuments() at line 2, column 1.',
  ],
  [
    'a name twice in YAML',
    `${OPENAPI}paths: {}\ninfo: {}\npaths: {}`,
    '"paths" appears twice in one object, again at line 4, column 1.',
  ],
  [
    'a name twice in JSON',
    '{"openapi": "3.1.0", "openapi": "3.1.0"}',
    '"openapi" appears twice in one object, again at line 1, column 22.',
  ],
  [
    'a name twice, once with an escape',
    '{"openapi": "3.1.0",\n "a": ["{", "\\"}"], "b": {"a": 1},\n  "\\u0061": 2}',
    '"a" appears twice in one object, again at line 3, column 3.',
  ],
  [
    'large JSON with a mistake',
    `{"openapi": "3.1.0", "a": "${'x'.repeat(2e6)}" "b"}`,
    "It is not JSON: Expected ',' or '}' after property value in JSON at position 2000029 (line 1 column 2000030).",
  ],
  ['UTF-16', new Uint8Array([0xff, 0xfe, 0x6f, 0x00]), 'The file is not text in UTF-8.'],
  [
    'an alias of nothing',
    `${OPENAPI}info: *a`,
    'It is neither YAML nor JSON: Unresolved alias (the anchor must be set before the alias): a.',
  ],
  ['another object', '{"name": "duogate"}', NO_VERSION],
  ['an inherited version', '{"__proto__": {"openapi": "3.1.0"}}', NO_VERSION],
  ['Swagger 1', 'swagger: "1.2"', 'Its `swagger` version must be the string "2.0", not "1.2".'],
  [
    'Swagger without quotation marks',
    'swagger: 2.0',
    'Its `swagger` version must be the string "2.0", not 2.',
  ],
  [
    'Swagger that cannot be converted',
    'swagger: "2.0"\npaths: { /a: { get: { parameters: [{ name: x }] } } }',
    'It is Swagger 2.0, and cannot be converted to OpenAPI 3: Parameter object must have an "in" property.',
  ],
  [
    'a version that is a number',
    'openapi: 3.1',
    'Its `openapi` version must be a string in quotation marks, such as "3.1.0", not 3.1.',
  ],
  ['another version', 'openapi: 4.0.0', 'Its `openapi` version must be 3.1 (or 3.0), not "4.0.0".'],
  ['no version', 'openapi:', 'Its `openapi` version must be 3.1 (or 3.0), not null.'],
  [
    'an alias within what it stands for',
    `${OPENAPI}components: &a {schemas: *a}`,
    'One of its aliases stands for a value that contains the alias itself.',
  ],
  [
    'an alias bomb',
    `${OPENAPI}${lines(30, (i) => `a${i}: &a${i} [${`*a${i - 1}, `.repeat(i && 9)}x]`)}`,
    BOMB,
  ],
  ['a chain of aliases', `${OPENAPI}${lines(5000, (i) => `a${i}: &a${i} [${i ? `*a${i - 1}` : ''}]`)}`, BOMB],
  ['deep JSON', `{"openapi": "3.1.0", "a": ${'['.repeat(1e6)}${']'.repeat(1e6)}}`, TOO_DEEP],
  ['JSON a level too deep', `{"openapi": "3.1.0", "a": ${'['.repeat(256)}${']'.repeat(256)}}`, TOO_DEEP],
  ['open brackets', '['.repeat(100_000), TOO_DEEP],
  ['open brackets in YAML', `${OPENAPI}a: ${'['.repeat(100_000)}`, TOO_DEEP],
  ['lists of lists', `${OPENAPI}a:\n ${'- '.repeat(100_000)}`, TOO_DEEP],
  [
    'keys of keys, line by line',
    `${OPENAPI}${lines(100, () => '? '.repeat(250))}`,
    'A name is itself an object or a list, at line 2, column 3.',
  ],
  ['keys of keys', `${OPENAPI}${'? '.repeat(100_000)}`, TOO_DEEP],
  ['deep YAML', `${OPENAPI}${lines(1500, (i) => `${' '.repeat(i)}a:`)}`, TOO_DEEP],
  ['a large list', '- a\n'.repeat(2e6), NO_VERSION],
  ['50 MB', new Uint8Array(50 * 1024 * 1024), 'The file is larger than 16 MB.'],
];
