// node sum.mjs <folder>: names what failed in the reports of the test steps, and adds them up.
//
// The folder has for each step `<name>.json` (Vitest's report), `<name>.json.status` (the exit status of its run) and
// `<name>.json.least` (fewer tests than this number are a failure). `failed-steps` has a line for each other step that
// failed, `missing-tools` for each tool that could not be installed: what these leave out is skipped, and not failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The number of tests that may need a second try before the run fails. */
const RETRIED_AT_MOST = 3;

const [folder] = process.argv.slice(2);

const textOf = (name) => readFileSync(join(folder, name), 'utf8').trim();
const linesOf = (name) => textOf(name).split('\n').filter(Boolean);
const missingTools = linesOf('missing-tools');
const isSkipped = ({ status }) => missingTools.length > 0 && ['skipped', 'pending'].includes(status);
const firstLines = (message) => (message ?? '').split('\n').slice(0, 3).join('\n    ');

/** The result of a step: `{ passed, skipped, failures, retried }`: two numbers, and two lists of texts. */
function resultOf(name) {
  const report = basename(name, '.status');
  if (!existsSync(join(folder, report)))
    return { passed: 0, skipped: 0, failures: [`failed: no report ${report}`], retried: [] };

  const { testResults, numPassedTests: passed } = JSON.parse(textOf(report));
  const failures = [];
  const retried = [];
  let skipped = 0;
  for (const { name: file, status, message, assertionResults } of testResults) {
    for (const test of assertionResults) {
      const title = `${file}: ${test.fullName}`;
      if (isSkipped(test)) skipped += 1;
      else if (test.status !== 'passed')
        failures.push(`${test.status}: ${title}\n    ${firstLines(test.failureMessages?.[0])}`);
      // Vitest keeps the messages of the first try.
      else if (test.failureMessages?.length > 0)
        retried.push(`${title}\n    ${firstLines(test.failureMessages[0])}`);
    }
    if (status === 'failed' && assertionResults.every((test) => test.status === 'passed'))
      failures.push(`failed: ${file}\n    ${firstLines(message)}`);
  }
  if (failures.length === 0 && textOf(name) !== '0')
    failures.push(`failed: the run of ${report}, beside its tests`);
  const tests = testResults.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
  const least = Number(textOf(`${report}.least`));
  if (tests < least && missingTools.length === 0)
    failures.push(`failed: ${report} has ${tests} tests, expected at least ${least}`);
  return { passed, skipped, failures, retried };
}

const results = readdirSync(folder)
  .filter((name) => name.endsWith('.status'))
  .map(resultOf);
const failures = [
  ...results.flatMap((result) => result.failures),
  ...linesOf('failed-steps').map((step) => `failed step: ${step}`),
];
const retried = results.flatMap((result) => result.retried);
if (retried.length > RETRIED_AT_MOST)
  failures.push(`failed: ${retried.length} tests needed a second try, expected at most ${RETRIED_AT_MOST}`);

for (const tool of missingTools) console.log(`not installed: ${tool}`);
for (const test of retried) console.log(`passed at the second try: ${test}`);
for (const failure of failures) console.log(failure);
const sum = (part) => results.reduce((total, result) => total + result[part], 0);
const passed = sum('passed');
const skipped = missingTools.length === 0 ? '' : `, ${sum('skipped')} skipped`;
console.log(`${passed} passed, ${failures.length} failed${skipped}`);
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
