import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from './coverage.ts';
import type { Mutant } from './operators.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const MUTANTS_CONFIG = {
  extends: './tsconfig.json',
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true },
  include: ['src'],
  exclude: ['src/web', '**/node_modules'],
};

/** The mutants that a compiler takes, which is asked in a copy of the sources: what fails there needs no test. */
export function compiling(mutants: readonly Mutant[]): readonly Mutant[] {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const filter = (path: string): boolean => basename(path) !== 'node_modules';
  for (const name of ['src', 'examples', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter });
  }
  for (const name of ['node_modules', '.mesh']) symlinkSync(join(ROOT, name), join(copy, name));
  writeFileSync(join(copy, 'tsconfig.mutants.json'), JSON.stringify(MUTANTS_CONFIG));
  try {
    const rounds: Mutant[][] = [];
    for (const mutant of mutants) {
      const round = rounds.find((each) => each.every(({ file }) => file !== mutant.file));
      if (round === undefined) rounds.push([mutant]);
      else round.push(mutant);
    }
    const taken = new Set(rounds.flatMap((round) => takenOf(copy, round)));
    return mutants.filter((mutant) => taken.has(mutant));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Of mutants of different files. */
function takenOf(copy: string, round: readonly Mutant[]): readonly Mutant[] {
  if (round.length === 0) return [];
  const refused = refusedFiles(copy, round);
  if (refused.size === 0) return round;
  const others = round.filter(({ file }) => !refused.has(file));
  if (others.length < round.length) return takenOf(copy, others);
  if (round.length === 1) return [];
  // The error stands in a file that uses the changed one.
  const half = Math.ceil(round.length / 2);
  return [...takenOf(copy, round.slice(0, half)), ...takenOf(copy, round.slice(half))];
}

function refusedFiles(copy: string, round: readonly Mutant[]): ReadonlySet<string> {
  for (const { file, start, end, replacement } of round) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    writeFileSync(join(copy, file), text.slice(0, start) + replacement + text.slice(end));
  }
  const args = [TSC, '--noEmit', '--pretty', 'false', '-p', 'tsconfig.mutants.json'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 });
  for (const { file } of round) cpSync(join(ROOT, file), join(copy, file));
  return new Set([...stdout.matchAll(/^(\S[^(\n]*)\(\d+,\d+\): error/gm)].map(([, file = '']) => file));
}
