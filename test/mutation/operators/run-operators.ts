/**
 * Changes places of the source, by chance or in changed files, and runs the tests that cover each of them:
 * `npm run mutation -- --sample 200 --seed 7`, `npm run mutation -- --since main`. See docs/testing.md.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { compiling } from './compiling.ts';
import { COVERAGE, type FileCoverage, ROOT, readCoverage } from './coverage.ts';
import { type Mutant, mutantsOf } from './operators.ts';
import { type Outcome, TRIALS, type TrialPlan } from './trials.ts';

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string' },
    since: { type: 'string' },
    seed: { type: 'string', default: '1' },
    layer: { type: 'string' },
    /** Runs all tests before, to see anew which lines they cover. */
    collect: { type: 'boolean', default: false },
    /** A report whose survivors are tried again. */
    again: { type: 'string' },
    /** A file of mutants, each with `file`, `text` and `replacement`. */
    list: { type: 'string' },
    /** Leaves out places that run when a module is loaded, of which each takes a process. */
    within: { type: 'boolean', default: false },
    files: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '40' },
  },
});

/** A mutant whose tests show no progress for as long is endless. */
const ENDLESS_MS = 240_000;
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const REPORTS = join(ROOT, 'coverage/mutation');

type Verdict = 'found' | 'survived' | 'uncovered' | 'invalid';

interface Result extends Mutant {
  readonly original: string;
  readonly verdict: Verdict;
  /** The test that failed first, with its message; or the files that passed. */
  readonly by: readonly string[];
}

interface Trial {
  readonly number: number;
  /** Undefined: the tests as they are. */
  readonly mutant: number | undefined;
  readonly testFile: string;
}

const layerOf = (file: string): string => file.split('/')[1] ?? '';

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The screens are tried in a browser: their sources are not among them. */
function sourcesOf(): readonly string[] {
  const all = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/web/**', '**/*.d.ts'] }).toSorted();
  const git = (since: string): string =>
    execFileSync('git', ['diff', '--name-only', since], { cwd: ROOT, encoding: 'utf8' });
  const changed = options.since === undefined ? undefined : git(options.since).split('\n');
  return all.filter(
    (file) =>
      (changed === undefined || changed.includes(file)) &&
      (options.layer === undefined || layerOf(file) === options.layer),
  );
}

/** Layer by layer in turn; in each, an operator and one of its places by chance. Of a line, one. */
function sampleOf(all: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  const random = randomOf(seed);
  const oneOf = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const layers = [...Map.groupBy(all, ({ file }) => layerOf(file)).values()].map((those) => [
    ...Map.groupBy(those, ({ operator }) => operator).values(),
  ]);
  const chosen = new Map<string, Mutant>();
  for (let turn = 0; chosen.size < size && turn < 50 * size; turn += 1) {
    const mutant = oneOf(oneOf(layers[turn % layers.length] ?? []) ?? []);
    if (mutant !== undefined) chosen.set(`${mutant.file}:${mutant.line}`, mutant);
  }
  return [...chosen.values()];
}

/** The mutants of a written list. */
function listed(path: string): readonly Mutant[] {
  const list: readonly { file: string; text: string; replacement: string }[] = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  return list.map(({ file, text, replacement }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const start = source.indexOf(text);
    if (start === -1 || source.indexOf(text, start + 1) !== -1)
      throw new Error(`${file}: expected once: ${text}`);
    const line = source.slice(0, start).split('\n').length;
    const around = { start: 0, end: source.length };
    return {
      file,
      line,
      operator: 'text',
      start,
      end: start + text.length,
      replacement,
      around,
      kind: 'statement',
      isStatic: true,
    };
  });
}

/** The test files that cover the place, those first that are likely to see it and take little time. */
function testsFor({ file, line, isStatic }: Mutant, coverage: readonly FileCoverage[]): readonly string[] {
  const covering = coverage.filter(({ lines }) => lines[file]?.includes(line));
  // What a module does when it is loaded is seen in the first test file alone.
  const users = isStatic ? coverage.filter(({ lines }) => lines[file] !== undefined) : covering;
  const most = Math.max(...users.map(({ lines }) => lines[file]?.length ?? 1));
  const rank = ({ testFile, milliseconds, lines }: FileCoverage): number =>
    (2 * (lines[file]?.length ?? 0)) / most +
    (testFile.split('/')[1] === layerOf(file) ? 0.5 : 0) -
    Math.log10(1 + milliseconds / 500);
  let time = 0;
  return users
    .toSorted((one, other) => rank(other) - rank(one))
    .slice(0, Number(options.files))
    .filter(({ milliseconds }, place) => {
      time += milliseconds;
      return place < 3 || time < 1000 * Number(options.seconds);
    })
    .map(({ testFile }) => testFile);
}

/** Runs the trials in their order, in one process. */
async function run(trials: readonly Trial[], mutants: readonly Mutant[]): Promise<readonly Outcome[]> {
  rmSync(TRIALS, { recursive: true, force: true });
  mkdirSync(TRIALS, { recursive: true });
  const plan: TrialPlan = { mutants };
  writeFileSync(join(TRIALS, 'plan.json'), JSON.stringify(plan));
  const outcomesFile = join(TRIALS, 'outcomes.jsonl');
  writeFileSync(outcomesFile, '');
  for (const { number, mutant, testFile } of trials) {
    const load = `import('${join(ROOT, testFile)}?trial=${number}')`;
    writeFileSync(
      join(TRIALS, `${number}.test.ts`),
      `import { tryTests } from '../../test/mutation/operators/begin-trial.ts';\nawait tryTests(${mutant ?? -1}, () => ${load});\n`,
    );
  }
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const child = spawn(process.execPath, [VITEST, 'run', '--config', config], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, MUTATION_RUN: String(process.pid) },
  });
  const outcomes = (): readonly Outcome[] =>
    readFileSync(outcomesFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  let isRunning = true;
  child.on('close', () => {
    isRunning = false;
  });
  const end = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.on('exit', end);
  let seen = -1;
  let since = performance.now();
  while (isRunning && performance.now() - since < ENDLESS_MS) {
    await delay(500);
    const count = outcomes().length;
    if (count !== seen) [seen, since] = [count, performance.now()];
  }
  end();
  process.off('exit', end);
  return outcomes();
}

function describe({ verdict, file, line, operator, original, replacement, by }: Result): string {
  const short = (text: string): string => JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}…` : text);
  const change = `${short(original)} → ${short(replacement)}`;
  return `${verdict.padEnd(9)} ${file}:${line} [${operator}] ${change}${verdict === 'found' ? `  (${by[0]})` : ''}`;
}

function report(results: readonly Result[]): void {
  const valid = results.filter(({ verdict }) => verdict !== 'invalid');
  const row = (name: string, those: readonly Result[]): void => {
    const found = those.filter(({ verdict }) => verdict === 'found').length;
    console.log(`| ${name} | ${found} of ${those.length} | ${Math.round((100 * found) / those.length)} % |`);
  };
  for (const [layer, those] of Map.groupBy(valid, ({ file }) => layerOf(file))) row(layer, those);
  row('all', valid);
}

function collect(): void {
  const config = join(import.meta.dirname, 'coverage.config.ts');
  const leftOut = ['test/fuzz/**', 'test/web/**'].flatMap((pattern) => ['--exclude', pattern]);
  spawnSync(process.execPath, [VITEST, 'run', '--config', config, ...leftOut], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}

if (options.collect || !existsSync(COVERAGE)) collect();
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
const coverage = readCoverage();
const seed = Number(options.seed);
const size = Number(options.sample ?? Number.POSITIVE_INFINITY);

function chosenMutants(): readonly Mutant[] {
  if (options.list !== undefined) return compiling(listed(options.list));
  if (options.again !== undefined) {
    const results = readFileSync(options.again, 'utf8').split('\n').filter(Boolean);
    return results
      .map((line) => JSON.parse(line) as Result)
      .filter(({ verdict }) => verdict === 'survived' || verdict === 'uncovered');
  }
  const all = sourcesOf()
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')))
    .filter(({ isStatic }) => !(options.within && isStatic));
  // Two in five do not compile.
  const drawn = Number.isFinite(size) ? sampleOf(all, Math.ceil(1.7 * size), seed) : all;
  const taken = compiling(drawn);
  console.log(`${all.length} changes, ${drawn.length} drawn, ${taken.length} compile`);
  return taken.slice(0, size);
}

const mutants = chosenMutants();
const name = options.again === undefined ? `seed-${seed}` : `again-${seed}`;
mkdirSync(REPORTS, { recursive: true });
const log = join(REPORTS, `${options.since === undefined ? name : 'since'}.jsonl`);
writeFileSync(log, '');
const results = new Map<number, Result>();

function settle(number: number, verdict: Verdict, by: readonly string[]): void {
  const mutant = mutants[number];
  if (mutant === undefined || results.has(number)) return;
  const original = readFileSync(join(ROOT, mutant.file), 'utf8').slice(mutant.start, mutant.end);
  const result: Result = { ...mutant, original, verdict, by };
  results.set(number, result);
  appendFileSync(log, `${JSON.stringify(result)}\n`);
  console.log(describe(result));
}

const tests = mutants.map((mutant) => testsFor(mutant, coverage));
for (const [number, files] of tests.entries()) if (files.length === 0) settle(number, 'uncovered', []);

/** The test files that fail without a mutant. */
const failing = new Set<string>();
const known = new Set<string>();

/** Tries mutants together; where one of them is endless, the others again without it. */
async function tryOut(numbers: readonly number[]): Promise<void> {
  let left = numbers;
  while (left.length > 0) {
    const trials: Trial[] = [];
    for (const number of left) {
      for (const testFile of tests[number] ?? []) {
        if (!known.has(testFile) && trials.every((trial) => trial.testFile !== testFile)) {
          trials.push({ number: trials.length, mutant: undefined, testFile });
        }
      }
    }
    for (const number of left) {
      for (const testFile of tests[number] ?? [])
        trials.push({ number: trials.length, mutant: number, testFile });
    }
    const outcomes = new Map((await run(trials, mutants)).map((outcome) => [outcome.trial, outcome]));
    for (const { number, mutant, testFile } of trials) {
      const outcome = outcomes.get(number);
      if (outcome === undefined) continue;
      if (mutant === undefined) {
        known.add(testFile);
        if (!outcome.isPassed) {
          failing.add(testFile);
          console.log(`fails without a mutant: ${testFile}: ${outcome.failed} ${outcome.error}`);
        }
      } else if (!outcome.isPassed && !failing.has(testFile)) {
        // A module that does not load is not found by a test.
        const isLoaded = mutants[mutant]?.isStatic !== true || outcome.failed !== '';
        settle(mutant, isLoaded ? 'found' : 'invalid', [`${testFile} > ${outcome.failed}`, outcome.error]);
      }
    }
    const stuck = trials.find(({ number }) => !outcomes.has(number));
    for (const number of left) {
      const own = trials.filter(({ mutant }) => mutant === number);
      if (own.every((trial) => outcomes.has(trial.number))) settle(number, 'survived', tests[number] ?? []);
    }
    if (stuck?.mutant !== undefined) settle(stuck.mutant, 'found', ['endless']);
    else if (stuck !== undefined) {
      known.add(stuck.testFile);
      failing.add(stuck.testFile);
    }
    const next = left.filter((number) => !results.has(number));
    if (next.length === left.length && stuck === undefined) throw new Error('The tests could not be run.');
    left = next;
  }
}

const numbers = [...mutants.keys()].filter((number) => !results.has(number));
const [atLoading, within] = [true, false].map((isStatic) =>
  numbers.filter((number) => mutants[number]?.isStatic === isStatic),
);
await tryOut(within ?? []);
// Modules are loaded once in a process: each of these has one of its own.
for (const number of atLoading ?? []) await tryOut([number]);
report([...results.values()]);
const missed = [...results.values()].filter(
  ({ verdict }) => verdict === 'survived' || verdict === 'uncovered',
);
process.exitCode = missed.length === 0 ? 0 : 1;
