// node sum.mjs <failed steps> <folder>: adds up the vitest reports `*.json` in the folder.
// Beside each lies `*.json.status`, the exit status of its run: one that failed without a failed test is a failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [failedSteps, folder] = process.argv.slice(2);

function count(status) {
  const report = join(folder, status.replace(/\.status$/, ''));
  const hasFailed = readFileSync(join(folder, status), 'utf8').trim() !== '0';
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests: passed, numTotalTests: total } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = total - passed;
  return { passed, failed: failed === 0 && (hasFailed || total === 0) ? 1 : failed };
}

const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.status'))
  .map(count);
const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
