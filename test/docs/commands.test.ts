import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandReference } from '../../src/cli/command-reference.ts';

it('docs/commands.md is what the commands say of themselves', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/commands.md'), 'utf8');
  expect(page).toBe(commandReference());
});
