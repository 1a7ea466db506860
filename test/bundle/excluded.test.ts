import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { EXCLUDED } from './excluded.ts';

const ROOT = join(import.meta.dirname, '../..');
const START = /\/src\/app\.ts$/;

/** The files that a file imports for more than types. */
function importsOf(path: string): readonly string[] {
  const imports = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';$/gms,
  );
  return [...imports].map(([, to = '']) => join(dirname(path), to));
}

function startsGateway(path: string, seen = new Set<string>()): boolean {
  if (START.test(path)) return true;
  if (seen.has(path) || path.startsWith(join(ROOT, 'src')) || !existsSync(path)) return false;
  seen.add(path);
  return importsOf(path).some((each) => startsGateway(each, seen));
}

it('runs all tests that start a gateway against the bundle, too', () => {
  const files = globSync('test/{odata,graphql,auth,registry}/**/*.test.ts', { cwd: ROOT });
  const others = files.filter((file) => !startsGateway(join(ROOT, file)));
  expect(files.length).toBeGreaterThan(200);
  expect(Object.values(EXCLUDED).flat().toSorted()).toStrictEqual(others.toSorted());
});
