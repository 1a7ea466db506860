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

/** Rules of other texts than URLs, such as header fields, are other tests' matter. */
function isOfUrls({ Rule, Input }: TestCase): boolean {
  return !Object.hasOwn(OTHER_RULES, Rule) && !Input.startsWith('$metadata#');
}

function readSuite(file: string): TestSuite {
  const path = join(FOLDER, file);
  return existsSync(path) ? parse(readFileSync(path, 'utf8')) : { Constraints: {}, TestCases: [] };
}

describe.skipIf(!existsSync(FOLDER)).each(FILES)('OASIS cases, %s', (file) => {
  const { Constraints, TestCases } = readSuite(file);
  const cases = TestCases.filter(isOfUrls);

  for (const { Name, Rule, Input, FailAt } of cases) {
    const title = `${Name} — ${Rule}: ${Input}`;
    const reason = EXCEPTIONS[Input];
    if (reason !== undefined) {
      it(`refuses ${title} (${reason})`, () => {
        expect(refusalOf(Rule, Input, Constraints)).toBeDefined();
      });
    } else if (FailAt === undefined) {
      it(`accepts ${title}`, () => {
        expect(refusalOf(Rule, Input, Constraints)).toBeUndefined();
      });
    } else {
      it(`refuses ${title}`, () => {
        const refusal = refusalOf(Rule, Input, Constraints);
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
