import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CODES = readFileSync(join(ROOT, 'src/contract/gateway-error.ts'), 'utf8');
const PAGE = readFileSync(join(ROOT, 'docs/troubleshoot.md'), 'utf8');

it('docs/troubleshoot.md has every code that is answered, with its status, and no other', () => {
  const answered = [...CODES.matchAll(/^ {2}(\w+): (\d{3}),$/gm)].map(
    ([, code, status]) => `${code} ${status}`,
  );
  const reported = [...PAGE.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(
    ([, code, status]) => `${code} ${status}`,
  );
  expect(answered.length).toBeGreaterThan(20);
  expect(reported.toSorted()).toStrictEqual(answered.toSorted());
});
