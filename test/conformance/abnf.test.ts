import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Constraints } from './abnf-names.ts';
import { refusalOf } from './abnf-refusal.ts';
import { OTHER_RULES } from './abnf-rules.ts';

interface TestCase {
  readonly Name: string;
  readonly Rule: string;
  readonly Input: string;
  readonly FailAt?: number;
}

interface TestSuite {
  readonly Constraints: Constraints;
  readonly TestCases: readonly TestCase[];
}

const FOLDER = join(import.meta.dirname, '../../../shared/conformance/odata-abnf');
const FILES = ['odata-abnf-testcases.yaml', 'odata-aggregation-testcases.yaml'];

const ONCE =
  'the grammar lets an option stand twice, Part 2, 5.1 does not; each alone is in query-options.cases.ts';

/** Cases that are not met, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '$format=json&$Format=atom&$format=xml&$format=text/html': ONCE,
  '$format=JSON&$format=Atom&$format=XML&$format=text/html': ONCE,
};

/** Names are read whole, so a refusal may be reported at the start of the name that goes wrong in its middle. */
function isNear(input: string, failAt: number, position: number): boolean {
  const [start, end] = [Math.min(failAt, position), Math.max(failAt, position)];
  return /^[\w.-]*[ /]?$/.test(input.slice(start, end));
}

for (const file of FILES) {
  const path = join(FOLDER, file);
  const suite: TestSuite = existsSync(path)
    ? parse(readFileSync(path, 'utf8'))
    : { Constraints: {}, TestCases: [] };

  describe.skipIf(suite.TestCases.length === 0)(`OASIS cases, ${file}`, () => {
    it.skipIf(suite.TestCases.length > 0)('has no cases: the folder is not there', () => undefined);

    for (const { Name, Rule, Input, FailAt } of suite.TestCases) {
      const reason =
        OTHER_RULES[Rule] ??
        EXCEPTIONS[Input] ??
        (Input.includes('$metadata#') ? OTHER_RULES['context'] : undefined);
      const title = `${Name} — ${Rule}: ${Input}`;
      if (reason !== undefined) {
        it.skip(`${title} (${reason})`, () => undefined);
      } else if (FailAt === undefined) {
        it(`accepts ${title}`, () => {
          expect(refusalOf(Rule, Input, suite.Constraints)).toBeUndefined();
        });
      } else {
        it(`refuses ${title}`, () => {
          const refusal = refusalOf(Rule, Input, suite.Constraints);
          expect(refusal).toBeDefined();
          if (refusal?.position !== undefined) {
            expect(refusal).toSatisfy(
              () => isNear(Input, FailAt, refusal.position ?? -1),
              `position ${FailAt}`,
            );
          }
        });
      }
    }
  });
}
