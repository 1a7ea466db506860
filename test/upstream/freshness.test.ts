import { describe, expect, it } from 'vitest';
import type { MaxAge } from '../../src/model/operation.ts';
import { ageOf, lifetimeOf } from '../../src/upstream/kept/freshness.ts';

const DATE = 'Sat, 28 Nov 2026 08:00:00 GMT';
const NOW = Date.parse(DATE);

type Fields = Readonly<Record<string, string>>;

function lifetime(
  headers: Fields,
  { isShared = true, isAuthorized = false, status = 200, maxAge = 'api' as MaxAge } = {},
) {
  return lifetimeOf(
    maxAge,
    { status, headers, requestedAt: NOW, receivedAt: NOW },
    { isShared, isAuthorized },
  );
}

const cached = (text: string): Fields => ({ 'cache-control': text });

describe('how long an answer may be used again, in seconds (RFC 9111)', () => {
  it.each<readonly [string, Fields, number, number]>([
    ['nothing is declared: there are no heuristics (4.2.2)', { 'last-modified': DATE }, 0, 0],
    ['max-age', cached('max-age=60'), 60, 60],
    ['in quotes and any case', cached('Public, MAX-AGE="60"'), 60, 60],
    ['s-maxage first, in a shared cache (5.2.2.10)', cached('max-age=60, s-maxage=10'), 10, 60],
    ['private (5.2.2.7)', cached('private, max-age=60'), 0, 60],
    ['no-store (5.2.2.5)', cached('no-store, max-age=60'), 0, 0],
    ['no-cache (5.2.2.4)', cached('max-age=60, no-cache'), 0, 0],
    ['no-cache of a field', cached('max-age=60, no-cache="set-cookie"'), 0, 0],
    ['two that differ (4.2.1)', cached('max-age=60, max-age=10'), 0, 0],
    ['a number that is none', cached('max-age=soon'), 0, 0],
    ['Expires (5.3)', { date: DATE, expires: 'Sat, 28 Nov 2026 08:05:00 GMT' }, 300, 300],
    ['Expires in the past', { date: DATE, expires: '0' }, 0, 0],
    ['max-age before Expires', { date: DATE, expires: DATE, 'cache-control': 'max-age=5' }, 5, 5],
    ['Vary: * (4.1)', { vary: 'accept, *', 'cache-control': 'max-age=60' }, 0, 0],
    ['Vary with names that are parts of the key', { vary: 'accept', 'cache-control': 'max-age=60' }, 60, 60],
  ])('%s', (_, headers, shared, personal) => {
    const own = lifetime(headers, { isShared: false, isAuthorized: true });
    expect([lifetime(headers) / 1_000, own / 1_000]).toStrictEqual([shared, personal]);
  });

  it.each<readonly [string, number]>([
    ['max-age=60', 0],
    ['max-age=60, public', 60],
    ['max-age=60, must-revalidate', 60],
    ['s-maxage=60', 60],
  ])('of a request with Authorization, in a shared cache: %s (3.5)', (text, expected) => {
    expect(lifetime(cached(text), { isAuthorized: true }) / 1_000).toBe(expected);
  });

  it('is the operator’s own time, whatever the API says, of answers with status 200 alone', () => {
    expect(lifetime(cached('no-store'), { maxAge: 5_000 })).toBe(5_000);
    expect(lifetime({}, { maxAge: 5_000, status: 206 })).toBe(0);
    expect(lifetime(cached('max-age=60'), { status: 404 })).toBe(0);
  });
});

describe('the age of an answer at its receipt, in seconds (RFC 9111, 4.2.3)', () => {
  it.each<readonly [string, MaxAge, Fields, number]>([
    ['nothing', 'api', {}, 0],
    ['Age, and the time that the request took', 'api', { age: '30' }, 32],
    ['Date', 'api', { date: 'Sat, 28 Nov 2026 07:59:00 GMT' }, 59],
    ['the greater of both', 'api', { age: '90', date: 'Sat, 28 Nov 2026 07:59:00 GMT' }, 92],
    ['Age that is no number', 'api', { age: '-1' }, 0],
    ['Date, for a time of the operator’s own', 5_000, { date: 'Sat, 28 Nov 2026 07:59:00 GMT' }, 0],
    ['Age, for a time of the operator’s own', 5_000, { age: '3' }, 5],
  ])('%s', (_, maxAge, headers, expected) => {
    expect(ageOf(maxAge, { status: 200, headers, requestedAt: NOW - 2_000, receivedAt: NOW }) / 1_000).toBe(
      expected,
    );
  });
});
