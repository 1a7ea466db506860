import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingGroupsOn, withSettings } from '../../src/cli/command-reference.ts';
import { SETTING_GROUPS } from '../../src/config/settings.ts';

const PAGES = ['configuration.md', 'limits.md'].map((page) => ({
  page,
  text: readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8'),
}));

describe('the tables of variables', () => {
  it.each(PAGES)('in docs/$page are what the configuration reads', ({ text }) => {
    expect(text).toBe(withSettings(text));
  });

  it('stand on one page each', () => {
    const groups = PAGES.flatMap(({ text }) => settingGroupsOn(text));
    expect(groups.toSorted()).toStrictEqual(Object.keys(SETTING_GROUPS).sort());
  });
});
