import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REQUEST_LIMITS, type RequestLimit } from '../../src/contract/request-limits.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');

const LIMITS: readonly RequestLimit[] = Object.values(REQUEST_LIMITS).flatMap((group) =>
  Object.values(group),
);

describe('docs/limits.md', () => {
  it.each(LIMITS)('tells of $variable and its default', ({ variable, fallback }) => {
    const row = PAGE.split('\n').find((line) => line.includes(`\`${variable}\``)) ?? '';
    const [, names = '', defaults = ''] = row.split('|');
    const place = names.split(',').findIndex((name) => name.includes(variable));
    expect(defaults.split(',')[place]?.trim()).toBe(String(fallback));
  });
});
