import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { reasonNotRead } from './abnf-fields.ts';
import { refusalOf } from './abnf-refusal.ts';
import type { Constraints } from './abnf-roles.ts';

/** As the file has it: all scalars are text. */
interface TestCase {
  readonly Name: string;
  readonly Rule: string;
  readonly Input: string;
  readonly FailAt?: string;
}

interface TestSuite {
  readonly Constraints: Constraints;
  readonly TestCases: readonly TestCase[];
}

const FOLDER = join(import.meta.dirname, '../../../shared/conformance/odata-abnf');
const FILES = ['odata-abnf-testcases.yaml', 'odata-aggregation-testcases.yaml'];

/** The grammar lets an option stand twice; Part 2, 5.1 does not. */
const ONCE = 'expected to be given once, found it twice';

function refusal({ Rule, Input }: TestCase, constraints: Constraints) {
  const found = refusalOf(Rule, Input, constraints);
  if (!found?.message.endsWith(ONCE)) return found;
  return Input.split('&')
    .map((piece) => refusalOf(Rule, piece, constraints))
    .find((each) => each !== undefined);
}

/** Names are read whole, so a refusal may be reported at the start of the name that goes wrong in its middle. */
function isNear(input: string, failAt: number, position: number): boolean {
  const [start, end] = [Math.min(failAt, position), Math.max(failAt, position)];
  return /^[\w.-]*[ /]?$/.test(input.slice(start, end));
}

function readSuite(file: string): TestSuite {
  const path = join(FOLDER, file);
  if (!existsSync(path)) return { Constraints: {}, TestCases: [] };
  return parse(readFileSync(path, 'utf8'), { schema: 'failsafe' });
}

describe.skipIf(!existsSync(FOLDER)).each(FILES)('OASIS cases, %s', (file) => {
  const { Constraints, TestCases } = readSuite(file);

  for (const test of TestCases) {
    const { Name, Rule, Input, FailAt } = test;
    const title = `${Name} — ${Rule}: ${Input}`;
    if (reasonNotRead(Rule, Input) !== undefined) continue;
    if (FailAt === undefined) {
      it(`accepts ${title}`, () => {
        expect(refusal(test, Constraints)).toBeUndefined();
      });
    } else {
      it(`refuses ${title}`, () => {
        const found = refusal(test, Constraints);
        expect(found).toBeDefined();
        const position = found?.position;
        if (position !== undefined) {
          expect(found).toSatisfy(() => isNear(Input, Number(FailAt), position), `position ${FailAt}`);
        }
      });
    }
  }
});
