import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');

/** The folders of a part, from those that the others stand on to those that stand on the others; `.` is its own files. */
const within = (part: string, ...folders: readonly string[]): readonly string[] =>
  folders.map((folder) => (folder === '.' ? part : `${part}/${folder}`));

/** The layers that read documents, which know nothing of entities. */
const OPENAPI = within(
  'openapi',
  'parse',
  'document',
  'files',
  'schemas',
  'overlay',
  'swagger',
  '.',
  'report',
);
/** The layers that derive entities from documents. */
const DERIVE = within(
  'derive',
  'names',
  'vocabulary',
  'operations',
  'answers',
  'samples',
  'edm-types',
  'parameters',
  'sets',
  'navigation',
  'callables',
  '.',
);
/**
 * The layers that both protocols share: expressions and queries up to `pipeline`, then the loading of
 * entities.
 */
const ENGINE = within(
  'engine',
  'tree',
  'values',
  'typing',
  'scope',
  'results',
  'compile',
  'operators',
  'aggregate',
  'functions',
  'bind',
  'query',
  'apply',
  'pipeline',
  'resource',
  'plan',
  'load',
  'input',
  'change',
  'expand',
  'read',
);

/** The face of GraphQL, up to Yoga's plugins and the short way for plain reads. */
const GRAPHQL = within('graphql', 'context', 'query', 'change', 'schema', 'plugins', 'plain', '.');

/** Calls to an API: connections, credentials, pages, reading and sending. */
const UPSTREAM = within(
  'upstream',
  'exchange',
  'fields',
  'reading',
  'meters',
  'client',
  'credentials',
  'sending',
  'kept',
  'calls',
  'paging',
);
/** GraphQL Mesh over the project's sources, and the test console. */
const MESH = within('mesh', 'normalized-document', 'schema', '.', 'try-it');

/** The layers that read requests and write responses of OData. */
const PAYLOAD = within(
  'odata/payload',
  'negotiation',
  'csdl',
  'body',
  'json',
  'table',
  'xlsx',
  'formats',
  'batch',
);
/** The layers that handle a request after its URL is parsed. */
const OPERATIONS = within(
  'odata/operations',
  'protocol',
  'tokens',
  'service',
  'bind',
  'shape',
  'handlers/deferred',
  'handlers/read',
  'handlers/change',
  'handlers/batch',
  '.',
);

/** The layers of the served project. */
const PROJECT = within('project', 'plan', 'suggestion', 'overlay', 'learning', 'access', 'examination', '.');
/** The layers that register, change and try APIs. */
const REGISTRY = within('registry', 'address', 'folder', 'try-it', 'apis', 'history', '.');
/** The screens. */
const WEB = within('web', 'service', 'state', 'controls', 'screens', 'shell', 'connect', 'pages', '.');

/** The layers of authentication and permissions. */
const AUTH = within(
  'auth',
  'mail',
  'database',
  'passwords',
  'requests',
  'audit',
  'keys',
  'permissions',
  'providers',
  'invitations',
  'users',
  'accounts',
  'recovery',
  'issuers',
  'handlers',
  '.',
);

/** Each may import the ground of all of them and those before it. */
function oneDirection(
  layers: readonly string[],
  ground: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(layers.map((layer, at) => [layer, [...ground, ...layers.slice(0, at)]]));
}

/**
 * Layer → the layers it may import besides itself. A file belongs to the layer with the longest path that
 * it lies in, so `odata` is the endpoint alone. Composition is what only `composition`, app.ts and the entries do.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  model: ['core'],
  contract: ['core', 'model'],
  config: ['core'],
  ...oneDirection(OPENAPI, ['core']),
  'openapi/report': ['core', 'contract', ...OPENAPI],
  ...oneDirection(DERIVE, ['core', 'model', ...OPENAPI]),
  sources: ['core', 'contract', ...OPENAPI, ...DERIVE],
  ...oneDirection(UPSTREAM, ['core', 'contract', 'model']),
  ...oneDirection(MESH, ['core', 'contract', 'model', ...OPENAPI, ...DERIVE, 'sources', ...UPSTREAM]),
  source: ['core', 'contract', 'model', ...UPSTREAM, 'mesh'],
  ...oneDirection(PROJECT, [
    'core',
    'contract',
    'model',
    ...OPENAPI,
    ...DERIVE,
    'sources',
    'mesh',
    'node-version.ts',
  ]),
  ...oneDirection(AUTH, ['core', 'contract', 'model']),
  ...oneDirection(GRAPHQL, ['core', 'contract', 'model', ...ENGINE]),
  ...oneDirection(REGISTRY, ['core', 'contract', 'model', ...OPENAPI]),
  ...oneDirection(ENGINE, ['core', 'contract', 'model']),
  'odata/url': ['core', 'contract', 'model', 'engine/tree', 'engine/values', 'engine/functions'],
  ...oneDirection(PAYLOAD, ['core', 'contract', 'model', ...ENGINE, 'odata/url']),
  ...oneDirection(OPERATIONS, ['core', 'contract', 'model', ...ENGINE, 'odata/url', ...PAYLOAD]),
  odata: ['core', 'contract', 'model', ...ENGINE, 'odata/url', ...PAYLOAD, ...OPERATIONS],
  server: ['core', 'contract'],
  ...oneDirection(WEB, []),
  composition: [
    'core',
    'contract',
    'config',
    'model',
    ...OPENAPI,
    'sources',
    ...UPSTREAM,
    ...MESH,
    'source',
    ...PROJECT,
    ...AUTH,
    'graphql',
    ...REGISTRY,
    'odata',
    'server',
  ],
  'app.ts': ['composition', 'config', 'core', ...OPENAPI, ...PROJECT, ...REGISTRY, 'odata', 'server'],
  'node-version.ts': [],
  'serve.ts': ['app.ts', 'config', 'core', 'contract', 'server'],
  'main.ts': ['node-version.ts', 'serve.ts'],
  'duogate.ts': ['app.ts', 'config', 'node-version.ts'],
  cli: [
    'demo',
    'node-version.ts',
    'serve.ts',
    'composition',
    'config',
    'core',
    'contract',
    ...OPENAPI,
    ...AUTH,
    'graphql/schema',
    'model',
    ...DERIVE,
    'sources',
    ...UPSTREAM,
    ...MESH,
    'source',
    ...PROJECT,
    'odata',
    'odata/payload/csdl',
    ...REGISTRY,
    'server',
  ],
  demo: ['app.ts', 'composition', 'config', 'core', 'contract', '../examples'],
  '../examples': ['demo'],
};

/** The files that hand the environment on to src/config. */
const ENTRIES: ReadonlySet<string> = new Set(['main.ts', 'cli/main.ts', 'cli/mesh-dev.ts']);

/** The types that `mesh build` generates, for those who speak to or as the upstream. */
const GENERATED = relative(SOURCE, join(ROOT, '.mesh'));
const GENERATED_READERS: ReadonlySet<string> = new Set([...MESH, 'demo']);

/** Fewer would mean that the scan has gone blind. */
const LEAST_FILES = 200;
const LEAST_IMPORTS = 900;

interface Import {
  readonly from: string;
  /** A path below src/, or the name of a package. */
  readonly to: string;
  readonly isLocal: boolean;
  readonly isTypeOnly: boolean;
}

interface SourceFile {
  readonly path: string;
  readonly imports: readonly Import[];
  /** The lines that access the environment. */
  readonly environmentLines: readonly number[];
}

const FILES: readonly SourceFile[] = globSync(['**/*.{ts,tsx}', '../examples/**/*.ts'], {
  cwd: SOURCE,
  exclude: (path) => path.endsWith('node_modules'),
})
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map(scan);
const IMPORTS: readonly Import[] = FILES.flatMap((file) => file.imports);

function scan(path: string): SourceFile {
  const text = readFileSync(join(SOURCE, path), 'utf8');
  return scanText(path, text);
}

function scanText(path: string, text: string): SourceFile {
  const imports: Import[] = [];
  const environmentLines: number[] = [];
  const imported = (specifier: string, isTypeOnly: boolean): void => {
    imports.push(resolveImport(path, specifier, isTypeOnly));
  };
  const usesEnvironment = (node: ESTree.Node): void => {
    environmentLines.push(text.slice(0, node.start).split('\n').length);
  };
  const isProcess = (node: ESTree.Node): boolean =>
    /^(globalThis\.|global\.)?process$/.test(text.slice(node.start, node.end));
  new Visitor({
    ImportDeclaration(node) {
      imported(node.source.value, node.importKind === 'type');
      if (/^(node:)?process$/.test(node.source.value)) usesEnvironment(node);
    },
    ExportNamedDeclaration({ source, exportKind }) {
      if (source !== null) imported(source.value, exportKind === 'type');
    },
    ExportAllDeclaration({ source, exportKind }) {
      imported(source.value, exportKind === 'type');
    },
    TSImportType({ source }) {
      imported(source.value, true);
    },
    ImportExpression({ source }) {
      imported(specified(source), false);
    },
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && callee.name === 'require') imported(specified(first), false);
    },
    MemberExpression(node) {
      if (isProcess(node.object) && (node.computed || node.property.name === 'env')) usesEnvironment(node);
    },
    VariableDeclarator(node) {
      if (node.init !== null && isProcess(node.init)) usesEnvironment(node);
    },
  }).visit(parsed(path, text));
  return { path, imports, environmentLines };
}

function parsed(path: string, text: string): ESTree.Program {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return program;
}

/** A computed specifier cannot be compared with the table, so it counts as an import of `?`. */
function specified(node: ESTree.Node | undefined): string {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : '?';
}

function resolveImport(from: string, specifier: string, isTypeOnly: boolean): Import {
  const isLocal = specifier.startsWith('.');
  const to = isLocal
    ? relative(SOURCE, resolve(SOURCE, dirname(from), specifier)).replaceAll('\\', '/')
    : specifier.startsWith('node:')
      ? specifier
      : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return { from, to, isLocal, isTypeOnly };
}

function layerOf(path: string): string | undefined {
  return Object.keys(LAYERS)
    .filter((layer) => path === layer || path.startsWith(`${layer}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function mayImport(found: Import): boolean {
  const from = layerOf(found.from);
  if (from === undefined) return false;
  if (found.to.startsWith(`${GENERATED}/`)) return found.isTypeOnly && GENERATED_READERS.has(from);
  const to = layerOf(found.to);
  // The screens know the types of what the server answers, and nothing that runs in it.
  if (to === 'contract' && WEB.includes(from)) return found.isTypeOnly;
  return to !== undefined && (to === from || LAYERS[from]?.includes(to) === true);
}

function write(found: Import): string {
  return `${found.from} → ${found.to}`;
}

/** The cycles among the imports, those of types included, each once, by its files. */
function cycles(imports: readonly Import[]): readonly string[] {
  const targets = Map.groupBy(
    imports.filter((found) => found.isLocal),
    (found) => found.from,
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const { to } of targets.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return found;
}

describe('the architecture', () => {
  it('is looked at as a whole', () => {
    expect(FILES.length).toBeGreaterThanOrEqual(LEAST_FILES);
    expect(IMPORTS.length).toBeGreaterThanOrEqual(LEAST_IMPORTS);
    const paths = new Set(FILES.map((file) => file.path));
    const unresolved = IMPORTS.filter(
      ({ isLocal, to }) => isLocal && !to.endsWith('.css') && !paths.has(to) && !to.startsWith(GENERATED),
    );
    expect(unresolved.map(write)).toStrictEqual([]);
  });

  it('has a layer for every file', () => {
    expect(FILES.filter((file) => layerOf(file.path) === undefined).map((file) => file.path)).toStrictEqual(
      [],
    );
  });

  it('lets a layer import only what the table allows', () => {
    expect(IMPORTS.filter((found) => found.isLocal && !mayImport(found)).map(write)).toStrictEqual([]);
  });

  it('has no cycle of files', () => {
    expect(cycles(IMPORTS)).toStrictEqual([]);
  });

  it('imports nothing whose name is made up at run time', () => {
    expect(IMPORTS.filter((found) => found.to === '?').map(write)).toStrictEqual([]);
  });

  it('has Express in the server alone', () => {
    const importers = IMPORTS.filter((found) => /^(@types\/)?express/.test(found.to)).map(
      (found) => found.from,
    );
    expect(importers.filter((path) => layerOf(path) !== 'server')).toStrictEqual([]);
    expect(importers).not.toHaveLength(0);
  });

  it('touches the environment in the configuration and the entries alone', () => {
    const strangers = FILES.filter(
      ({ path, environmentLines }) =>
        environmentLines.length > 0 && layerOf(path) !== 'config' && !ENTRIES.has(path),
    );
    expect(strangers.map(({ path, environmentLines }) => `${path}:${environmentLines}`)).toStrictEqual([]);
  });

  it('names files after what they hold', () => {
    const vague = /^(utils?|helpers?|common|misc|shared|managers?|types|index)$|-(utils?|helpers?|manager)$/;
    const words = FILES.flatMap(({ path }) =>
      path
        .replace(/\.tsx?$/, '')
        .split('/')
        .map((word) => [word, path]),
    );
    expect(words.filter(([word = '']) => vague.test(word)).map(([, path]) => path)).toStrictEqual([]);
    const names = FILES.map(({ path }) => basename(path));
    expect(names.filter((name) => !/^[a-z\d]+(-[a-z\d]+)*(\.d)?\.tsx?$/.test(name))).toStrictEqual([]);
  });
});

describe('the scan', () => {
  const TEXT = `
    import a from './a.ts';
    import type { B } from '../model/b.ts';
    import { type C } from './c.ts';
    export * from './d.ts';
    export type { E } from './e.ts';
    import './f.ts';
    const g = await import('./g.ts');
    type H = import('./h.ts').H;
    const i = require('express/lib/router');
    import j from '@scope/name/deep';
    const k = import(a);
    // import l from './l.ts';
    const m = "import m from './m.ts'";
  `;

  it('sees every kind of import', () => {
    const seen = scanText('server/x.ts', TEXT).imports.map(({ to, isTypeOnly }) =>
      isTypeOnly ? `type ${to}` : to,
    );
    expect(seen).toStrictEqual([
      'server/a.ts',
      'type model/b.ts',
      'server/c.ts',
      'server/d.ts',
      'type server/e.ts',
      'server/f.ts',
      'server/g.ts',
      'type server/h.ts',
      'express',
      '@scope/name',
      '?',
    ]);
  });

  it.each([
    'process.env.PORT',
    "process['env']",
    'const { env } = process',
    'globalThis.process.env',
    "import { env } from 'node:process'",
    'f(process.env)',
  ])('sees the environment in %s', (text) => {
    expect(scanText('server/x.ts', text).environmentLines).toStrictEqual([1]);
  });

  it.each(['process.exit(1)', 'options.env', "'process.env'", '// process.env'])(
    'sees none in %s',
    (text) => {
      expect(scanText('server/x.ts', text).environmentLines).toStrictEqual([]);
    },
  );

  it.each([
    ['server/x.ts', "import '../contract/y.ts'", true],
    ['server/x.ts', "import type {} from '../model/edm.ts'", false],
    ['odata/url/x.ts', "import '../query/y.ts'", false],
    ['odata/endpoint.ts', "import './operations/y.ts'", true],
    ['odata/operations/x.ts', "import '../endpoint.ts'", false],
    ['engine/read/x.ts', "import type {} from '../load/y.ts'", true],
    ['engine/load/x.ts', "import type {} from '../read/y.ts'", false],
    ['engine/bind/x.ts', "import '../load/y.ts'", false],
    ['web/x.tsx', "import '../contract/y.ts'", false],
    ['web/x.tsx', "import type {} from '../contract/y.ts'", true],
    ['web/x.tsx', "import type {} from '../model/y.ts'", false],
    ['demo/x.ts', "import type {} from '../../.mesh/index.js'", true],
    ['demo/x.ts', "import '../../.mesh/index.js'", false],
    ['graphql/x.ts', "import type {} from '../../.mesh/index.js'", false],
    ['contract/x.ts', "import '../../test/support/y.ts'", false],
  ])('holds %s with %s against the table: %s', (path, text, expected) => {
    expect(scanText(path, text).imports.map(mayImport)).toStrictEqual([expected]);
  });

  it('finds cycles', () => {
    const found = [
      ...scanText('a.ts', "import './b.ts'").imports,
      ...scanText('b.ts', "import './c.ts'; import type {} from './a.ts'").imports,
      ...scanText('c.ts', "import './b.ts'").imports,
    ];
    expect(cycles(found)).toStrictEqual(['b.ts → c.ts → b.ts', 'a.ts → b.ts → a.ts']);
  });
});
