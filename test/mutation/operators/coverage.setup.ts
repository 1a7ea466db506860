import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SourceMap, type SourceMapping } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { COVERAGE, type FileCoverage, ROOT } from './coverage.ts';

/** Writes, for each test file, the lines of the sources that ran in it: in its process, and in those it started. */

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** The begin of a line that is not blank: its place in the script, and its line in the source, from 1. */
type LineStart = readonly [offset: number, line: number];

interface Collector {
  readonly session: Session;
  readonly starts: Map<string, readonly LineStart[]>;
}

const SOURCES = join(ROOT, 'src/');
const MAP = /\/\/# sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)/g;

/** One for each process, whose test files share their modules. */
const shared = globalThis as { lineCollector?: Collector };

async function startCollector(): Promise<Collector> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  // By function: by block, the tests would take three times as long.
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return { session, starts: new Map() };
}

shared.lineCollector ??= await startCollector();
const collector = shared.lineCollector;
const processes = mkdtempSync(join(tmpdir(), 'coverage-'));
let startedAt = 0;

beforeAll(async () => {
  startedAt = performance.now();
  process.env['NODE_V8_COVERAGE'] = processes;
  // What earlier files have left running is theirs.
  await collector.session.post('Profiler.takePreciseCoverage');
});

afterAll(async () => {
  const { result } = await collector.session.post('Profiler.takePreciseCoverage');
  const lines = new Map<string, Set<number>>();
  await collector.session.post('Debugger.enable');
  for (const script of result as unknown as readonly Script[]) {
    const path = pathOf(script.url);
    if (path.startsWith(SOURCES)) addLines(lines, path, script, await startsOf(script));
  }
  await collector.session.post('Debugger.disable');
  for (const file of readdirSync(processes)) {
    for (const script of scriptsIn(join(processes, file))) {
      const path = pathOf(script.url);
      if (path.startsWith(SOURCES)) addLines(lines, path, script, lineStarts(readFileSync(path, 'utf8')));
    }
  }
  rmSync(processes, { recursive: true, force: true });
  const testFile = relative(ROOT, expect.getState().testPath ?? '');
  const coverage: FileCoverage = {
    testFile,
    milliseconds: Math.round(performance.now() - startedAt),
    lines: Object.fromEntries([...lines].map(([path, numbers]) => [relative(ROOT, path), [...numbers]])),
  };
  const to = join(COVERAGE, `${testFile}.json`);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, JSON.stringify(coverage));
});

function pathOf(url: string): string {
  if (!url.startsWith('file:')) return url;
  return fileURLToPath(url.split('?', 1)[0] ?? url);
}

/** A process that is killed leaves a part of its file. */
function scriptsIn(path: string): readonly Script[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly result: readonly Script[] }).result;
  } catch {
    return [];
  }
}

async function startsOf({ scriptId }: Script): Promise<readonly LineStart[]> {
  const known = collector.starts.get(scriptId);
  if (known !== undefined) return known;
  const { scriptSource } = await collector.session.post('Debugger.getScriptSource', { scriptId });
  const starts = lineStarts(scriptSource);
  collector.starts.set(scriptId, starts);
  return starts;
}

function lineStarts(text: string): readonly LineStart[] {
  const encoded = [...text.matchAll(MAP)].at(-1)?.[1];
  const map =
    encoded === undefined ? undefined : new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()));
  const starts: LineStart[] = [];
  let offset = 0;
  for (const [row, line] of text.split('\n').entries()) {
    const column = line.search(/\S/);
    const entry: Partial<SourceMapping> = (column === -1 ? undefined : map?.findEntry(row, column)) ?? {};
    if (column !== -1 && map === undefined) starts.push([offset + column, row + 1]);
    else if (entry.originalLine !== undefined) {
      starts.push([offset + column, entry.originalLine + 1]);
    }
    offset += line.length + 1;
  }
  return starts;
}

function addLines(
  all: Map<string, Set<number>>,
  path: string,
  { functions }: Script,
  starts: readonly LineStart[],
): void {
  const last = starts.at(-1)?.[0] ?? 0;
  const ran = new Uint8Array(last + 1);
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  const lines = all.get(path) ?? new Set<number>();
  all.set(path, lines);
  for (const [offset, line] of starts) if (ran[offset] === 1) lines.add(line);
}
