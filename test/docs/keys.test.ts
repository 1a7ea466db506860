import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  KEY_NAMED,
  KEY_OF_PARAMETERS,
  LIST_RULES,
  READ_RULES,
} from '../../src/derive/edm-types/key-rules.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/x-odata.md'), 'utf8');

/** The text of each section of the page, by its heading. */
const SECTIONS = new Map(
  PAGE.split(/^##+ /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

describe('the rules for keys', () => {
  it.each([READ_RULES, LIST_RULES])('are in the order of the page', (...rules) => {
    const [first] = rules;
    const names = Array.from(
      (SECTIONS.get(first?.section ?? '') ?? '').matchAll(/^\| `([\w-]+)` \|/gm),
      ([, name = '']) => name,
    );
    const described = rules.map(({ id }) => id).filter((id) => id !== 'several-identifiers');
    expect([...new Set(described)]).toEqual(names);
  });

  it.each([KEY_NAMED, KEY_OF_PARAMETERS, ...READ_RULES, ...LIST_RULES])(
    'have their section: $id',
    ({ id, section }) => {
      expect(SECTIONS.get(section)).toContain(`\`${id.replace('x-odata.', '')}\``);
    },
  );
});
