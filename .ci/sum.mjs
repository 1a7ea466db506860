// node sum.mjs <failed steps> <folder>: names what failed in the vitest reports `*.json` of the folder, and adds them up.
// Beside each lies `*.json.status`, the exit status of its run: one that failed without a failed test is a failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [failedSteps, folder] = process.argv.slice(2);

const firstLines = (message) => (message ?? '').split('\n').slice(0, 3).join('\n    ');

/** What went wrong in a report, a line or more each: tests that did not pass, and files that could not be run. */
function failuresIn({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults
      .filter((test) => test.status !== 'passed')
      .map(
        (test) => `${test.status}: ${name}: ${test.fullName}\n    ${firstLines(test.failureMessages?.[0])}`,
      );
    return tests.length === 0 && status === 'failed'
      ? [`failed: ${name}\n    ${firstLines(message)}`]
      : tests;
  });
}

function read(status) {
  const report = join(folder, basename(status, '.status'));
  const hasFailed = readFileSync(join(folder, status), 'utf8').trim() !== '0';
  if (!existsSync(report))
    return { passed: 0, failed: 1, failures: [`failed: no report ${basename(report)}`] };
  const results = JSON.parse(readFileSync(report, 'utf8'));
  const { numPassedTests: passed, numTotalTests: total } = results;
  const failures = failuresIn(results);
  if (passed < total || (!hasFailed && total > 0)) return { passed, failed: total - passed, failures };
  return {
    passed,
    failed: 1,
    failures: [...failures, `failed: the run of ${basename(report)}, beside its tests`],
  };
}

const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.status'))
  .map(read);
for (const failure of runs.flatMap(({ failures }) => failures)) console.log(failure);
const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
