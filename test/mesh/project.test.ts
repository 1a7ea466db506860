import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ProjectReading, readProject } from '../../src/sources/project.ts';
import type { Environment } from '../../src/sources/project-reader.ts';

const DOCUMENT =
  'openapi: 3.1.0\nservers:\n  - url: https://{region}.example/v1/\n    variables: { region: { default: eu } }\n';

/** Reads a project file of that text, with an OpenAPI document beside it. */
function read(text: string, environment: Environment = {}, document: string = DOCUMENT): ProjectReading {
  const directory = mkdtempSync(join(tmpdir(), 'project-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'api.yaml'), document);
  writeFileSync(join(directory, 'mesh.yaml'), text);
  const reading = readProject(join(directory, 'mesh.yaml'), environment);
  return JSON.parse(JSON.stringify(reading).replaceAll(directory, '/project')) as ProjectReading;
}

/** A file with one source whose handler has these lines. */
function source(...lines: readonly string[]): string {
  const handler = ['source: ./api.yaml', ...lines].map((line) => `        ${line}\n`).join('');
  return `sources:\n  - name: Posts\n    handler:\n      openapi:\n${handler}`;
}

describe('a project file', () => {
  it('is the one of this repository', () => {
    const reading = readProject('.meshrc.yaml', {
      UPSTREAM_URL: 'http://127.0.0.1:4050/',
      APPLICATION_NAME: 'posts-app',
      GATEWAY_API_NAME: 'posts-api',
    });
    expect(reading).toEqual({
      kind: 'project',
      project: {
        directory: process.cwd(),
        sources: [
          {
            name: 'Posts',
            document: join(process.cwd(), 'openapi/posts.yaml'),
            endpoint: 'http://127.0.0.1:4050',
            operationHeaders: { 'x-application-name': 'posts-app', 'x-gateway-api-name': 'posts-api' },
            queryParams: {},
          },
        ],
      },
    });
  });

  it.each<readonly [string, Environment, string]>([
    ['endpoint: "http://u/a/"', {}, 'http://u/a'],
    ['endpoint: "{env.URL}"', { URL: 'https://u' }, 'https://u'],
    ['endpoint: "{env.URL:}"', {}, 'https://eu.example/v1'],
    ['endpoint: "{env.URL:}"', { URL: '' }, 'https://eu.example/v1'],
    ['endpoint: "{env.URL:http://fallback}"', {}, 'http://fallback'],
    ['endpoint: "http://{env.HOST:localhost}:{env.PORT}/x"', { PORT: '1' }, 'http://localhost:1/x'],
    ['ignoreErrorResponses: true', {}, 'https://eu.example/v1'],
    ['endpoint: null', {}, 'https://eu.example/v1'],
  ])('%s with %j calls %s', (line, environment, endpoint) => {
    expect(read(source(line), environment)).toMatchObject({ project: { sources: [{ endpoint }] } });
  });

  it('has headers whose empty values are left out', () => {
    const text = source(
      'operationHeaders:',
      '  X-Name: "{env.NAME}"',
      '  x-none: "{env.NONE:}"',
      '  x-fixed: "ä b"',
    );
    expect(read(text, { NAME: 'n' })).toMatchObject({
      project: { sources: [{ operationHeaders: { 'x-name': 'n', 'x-fixed': 'ä b' } }] },
    });
  });

  it('has query parameters, numbers and truth values among them', () => {
    const text = source(
      'queryParams:',
      '  api key: "{env.KEY}"',
      '  none: "{env.NONE:}"',
      '  v: 2',
      '  all: true',
    );
    expect(read(text, { KEY: 'ä&b' })).toMatchObject({
      project: { sources: [{ queryParams: { 'api key': 'ä&b', v: '2', all: 'true' } }] },
    });
  });

  it('does not read the environment of the process', () => {
    expect(read(source('endpoint: "{env.PATH:}"'))).toMatchObject({
      project: { sources: [{ endpoint: 'https://eu.example/v1' }] },
    });
  });
});

const AT = 'sources[0].handler.openapi';

/** The text of a project file, and what is wrong with it. */
const MISTAKES: readonly (readonly [text: string, mistakes: readonly (string | RegExp)[]])[] = [
  ['', [/must hold a mapping/]],
  ['a: [', [/cannot be read/]],
  ['sources: []', [/"sources" must be a list of at least one API/]],
  ['plugins: []\nsources: []', [/"plugins" is not served/, /"sources" must/]],
  [
    'additionalTypeDefs: x\nsources: [1]',
    [
      /"additionalTypeDefs" is not served/,
      /"sources\[0\]" must be a mapping/,
      /"sources\[0\]\.handler" must be/,
    ],
  ],
  [
    'sources: [{ name: A, handler: { graphql: {} } }]',
    [
      /"sources\[0\]\.handler\.graphql" is not served; known are openapi/,
      /"sources\[0\]\.handler\.openapi" must be a mapping/,
    ],
  ],
  [source('transforms: []'), [`"${AT}.transforms" is not served`]],
  [`${source()}    transforms: []\n`, ['"sources[0].transforms" is not served']],
  [source('ignoreErrorResponses: false'), [`"${AT}.ignoreErrorResponses" must be true`]],
  [source('endpoint: posts'), ['must be an absolute http or https URL']],
  [source('endpoint: "{env.EMPTY}/v1"'), [`"${AT}.endpoint" needs the variable EMPTY`]],
  // The document names a server: it is not called with what is meant for another one.
  [
    source('endpoint: "{env.NONE}"'),
    [`"${AT}.endpoint" needs the variable NONE, or {env.NONE:} where it may be missing`],
  ],
  [
    source().replace('./api.yaml', '"{env.NONE}api.yaml"'),
    [`"${AT}.source" needs the variable NONE, or {env.NONE:} where it may be missing`],
  ],
  [source('endpoint: "file:///etc"'), ['must be an absolute http or https URL']],
  [source('endpoint: "http://a:b@u"'), ['must not hold credentials']],
  [source('endpoint: "http://127.0.0.1\\t:80"'), ['must not have tabs or line breaks']],
  [source('endpoint: "http://u?x=1"'), ['must not have a query']],
  [source('endpoint: 5'), ['must be a string']],
  [source('endpoint: "{context.url}"'), ['has {context.url}; only {env.NAME} is filled in', /"/]],
  [
    source('operationHeaders:', '  authorization: "{context.headers.authorization}"'),
    ['nothing of a client is passed on'],
  ],
  [
    source('operationHeaders:', '  authorization: "Bearer {env.TOKEN}"', '  x-a: "{env.EMPTY}"'),
    [
      `"${AT}.operationHeaders.authorization" needs the variable TOKEN, or {env.TOKEN:} where it may be missing`,
      `"${AT}.operationHeaders.x-a" needs the variable EMPTY`,
    ],
  ],
  [source('operationHeaders:', '  x-a: "{env.BAD}"'), ['has a value with line breaks']],
  [source('operationHeaders:', '  x-a: "\\u20ac"'), ['beyond Latin-1']],
  [source('queryParams:', '  key: "{env.NONE}"'), ['needs the variable NONE']],
  [source('queryParams:', '  key: { a: 1 }'), [`"${AT}.queryParams.key" must be a string`]],
  [source('queryParams: key'), [`"${AT}.queryParams" must be a mapping`]],
  [source('operationHeaders:', '  "x a": "b"'), ['is not the name of a header']],
  [source('operationHeaders:', '  Host: "b"'), ['is set by the connection']],
  [
    `${source()}  - name: Posts\n    handler: { openapi: { source: ./api.yaml } }\n`,
    ['two sources are named "Posts"'],
  ],
  ['sources: [{ name: "a b", handler: { openapi: { source: ./none.yaml } } }]', ['must be a name']],
];

describe('mistakes in a project file', () => {
  it.each(MISTAKES)('%j are reported', (text, expected) => {
    const reading = read(text, { BAD: 'a\r\nx-evil: 1', EMPTY: '' });
    expect(reading.kind).toBe('mistakes');
    const mistakes = reading.kind === 'mistakes' ? reading.mistakes : [];
    for (const mistake of expected) expect(mistakes.join('\n')).toMatch(mistake);
    expect(mistakes.every((mistake) => mistake.startsWith('/project/mesh.yaml: '))).toBe(true);
  });

  it('are reported together', () => {
    const text = `hello: 1\n${source('endpoint: x', 'operationHeaders:', '  x-a: "\\n"')}`;
    const reading = read(text);
    expect(reading.kind === 'mistakes' && reading.mistakes).toHaveLength(3);
  });

  it('are a document without a server, and one with a relative server', () => {
    expect(read(source(), {}, 'openapi: 3.1.0')).toMatchObject({
      mistakes: [expect.stringContaining('neither an endpoint nor a server')],
    });
    expect(read(source(), {}, 'openapi: 3.1.0\nservers: [{ url: /v1 }]')).toMatchObject({
      mistakes: [expect.stringContaining("from the document's servers[0]")],
    });
  });

  it('are a file that is not there', () => {
    expect(readProject('/nowhere/mesh.yaml', {})).toMatchObject({ kind: 'mistakes' });
  });
});
