import { describe, expect, it } from 'vitest';
import { declaredLimits } from '../../src/upstream/meters/rate-limit-fields.ts';

const DATE = 'Sat, 28 Nov 2026 08:00:00 GMT';
const NOW = Date.parse(DATE);

interface Expected {
  readonly name?: string;
  readonly isOfResource?: true;
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  readonly windowMs?: number;
}

const FORMS: readonly (readonly [string, Record<string, string>, readonly Expected[]])[] = [
  [
    'structured fields',
    { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: '"default";r=50;t=30' },
    [{ name: 'default', limit: 100, remaining: 50, resetMs: 30_000, windowMs: 60_000 }],
  ],
  [
    'several structured policies',
    {
      'ratelimit-policy': '"burst";q=10;w=1, "a, day";q=1000;w=86400',
      ratelimit: '"burst";r=3;t=1,"a, day";r=900;t=3600;pk=:x:',
    },
    [
      { name: 'burst', limit: 10, remaining: 3, resetMs: 1_000, windowMs: 1_000 },
      { name: 'a, day', limit: 1000, remaining: 900, resetMs: 3_600_000, windowMs: 86_400_000 },
    ],
  ],
  [
    'a policy without its state',
    { 'ratelimit-policy': '"default";q=15;w=60' },
    [{ name: 'default', limit: 15, windowMs: 60_000 }],
  ],
  [
    'the dictionary of earlier drafts',
    { 'ratelimit-policy': '10;w=1, 50;w=60', ratelimit: 'limit=50, remaining=7, reset=5' },
    [{ limit: 50, remaining: 7, resetMs: 5_000, windowMs: 60_000 }],
  ],
  [
    'separate fields with policies in the limit',
    { 'ratelimit-limit': '10, 10;w=1, 50;w=60', 'ratelimit-remaining': '9', 'ratelimit-reset': '1' },
    [{ limit: 10, remaining: 9, resetMs: 1_000, windowMs: 1_000 }],
  ],
  [
    'X-RateLimit with seconds',
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' },
    [{ limit: 60, remaining: 0, resetMs: 42_000 }],
  ],
  [
    'X-RateLimit with seconds since 1970, and a resource',
    {
      date: DATE,
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': String(NOW / 1_000 + 90),
      'x-ratelimit-resource': 'core',
    },
    [{ name: 'core', isOfResource: true, limit: 5000, remaining: 4999, resetMs: 90_000 }],
  ],
  [
    'milliseconds since 1970, by the clock of the API',
    {
      date: 'Sat, 28 Nov 2026 09:00:00 GMT',
      'x-rate-limit-remaining': '1',
      'x-rate-limit-reset': String(NOW + 3_600_000 + 250),
    },
    [{ remaining: 1, resetMs: 250 }],
  ],
  [
    'a date',
    { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': 'Sat, 28 Nov 2026 08:00:05 GMT' },
    [{ remaining: 1, resetMs: 5_000 }],
  ],
  [
    'durations',
    { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '6m0.5s' },
    [{ name: '-requests', remaining: 1, resetMs: 360_500 }],
  ],
  [
    'several periods',
    {
      'x-ratelimit-limit-second': '5',
      'x-ratelimit-remaining-second': '4',
      'x-ratelimit-limit-hour': '100',
      'x-ratelimit-remaining-hour': '0',
      'ratelimit-reset': '30',
    },
    [
      { name: '-second', limit: 5, remaining: 4, resetMs: 1_000, windowMs: 1_000 },
      { name: '-hour', limit: 100, remaining: 0, resetMs: 3_600_000, windowMs: 3_600_000 },
    ],
  ],
  [
    'values that are none',
    { 'x-ratelimit-remaining': 'many', ratelimit: '"a";r=-1', 'ratelimit-limit': '1e9' },
    [],
  ],
  ['no such fields', { 'content-type': 'application/json', 'x-rated': '1' }, []],
];

describe('the limits that an answer declares', () => {
  it.each(FORMS)('are read of %s', (_, headers, expected) => {
    const whole = { name: '', isOfResource: false, limit: undefined, remaining: undefined };
    expect(declaredLimits(headers, NOW)).toStrictEqual(
      expected.map((each) => ({ ...whole, resetMs: undefined, windowMs: undefined, ...each })),
    );
  });
});
