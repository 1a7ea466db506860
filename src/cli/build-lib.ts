import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { lateFormatScalars } from './late-format-scalars.ts';

const ROOT = join(import.meta.dirname, '../..');
const LIB = join(ROOT, 'lib');
/**
 * The folder of the bundle, at the same depth as the sources, so that relative paths to other files are the
 * same.
 */
const BUNDLE = join(LIB, 'bundle');

const ENTRIES = {
  cli: 'src/cli/main.ts',
  duogate: 'src/duogate.ts',
  main: 'src/main.ts',
  'examiner-worker': 'src/project/examination/examiner-worker.ts',
  'password-judge-worker': 'src/auth/passwords/password-judge-worker.ts',
  'spinner-worker': 'src/cli/spinner-worker.ts',
  'health-worker': 'src/server/health-port/health-worker.ts',
};

/** Optional native modules of libraries. */
const OPTIONAL = ['pg-native', 'bufferutil', 'utf-8-validate'];

const WITHIN_LIBRARY = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Bundles all sources and libraries into a few files, because loading thousands of modules takes most of a
 * start. Includes the licenses of the libraries.
 */
rmSync(LIB, { recursive: true, force: true });
const build = await rolldown({
  cwd: ROOT,
  input: ENTRIES,
  platform: 'node',
  external: OPTIONAL,
  plugins: [lateFormatScalars()],
  // Warnings about modules of libraries are ignored.
  logLevel: 'silent',
});
const { output } = await build.write({
  dir: BUNDLE,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await build.close();
const chunks = output.filter((file) => file.type === 'chunk');
for (const chunk of chunks) leaveOutLibraries(chunk);
writeFileSync(join(LIB, 'LICENSES.txt'), licensesOf(librariesOf(chunks)));

interface SourceMap {
  readonly sourcesContent?: readonly (string | null)[];
}

/** Removes source maps of libraries, and the source texts in others, which would be most of the package. */
function leaveOutLibraries({ fileName, moduleIds }: OutputChunk): void {
  const path = join(BUNDLE, `${fileName}.map`);
  if (!existsSync(path)) return;
  if (moduleIds.every((id) => WITHIN_LIBRARY.test(id))) {
    rmSync(path);
    return;
  }
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(path, 'utf8')) as SourceMap;
  writeFileSync(path, JSON.stringify(map));
}

/** The folders of all bundled libraries, by name. */
function librariesOf(all: readonly OutputChunk[]): ReadonlyMap<string, string> {
  const folders = all.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => WITHIN_LIBRARY.exec(id)?.[0] ?? []),
  );
  const named = folders.map((folder): [string, string] => [nameOf(folder), folder]);
  return new Map(named.toSorted(([one], [other]) => one.localeCompare(other)));
}

function nameOf(folder: string): string {
  const { name = basename(folder), version = '' } = packageIn(folder);
  return `${name} ${version}`;
}

interface Package {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

function packageIn(folder: string): Package {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
}

function licensesOf(libraries: ReadonlyMap<string, string>): string {
  const parts = [...libraries].map(([name, folder]) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${name}\n${packageIn(folder).license ?? ''}\n\n${text}`.trim();
  });
  return `Duogate holds parts of these libraries.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
