import type { CallRate, MaxAge } from '../../model/operation.ts';

/** Milliseconds, by the letter that names the unit. */
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration such as `5m`, or `api`; undefined for anything else. */
export function readMaxAge(written: string | undefined): MaxAge | undefined {
  if (written === 'api') return 'api';
  const [, count, unit = ''] = /^(\d{1,9})\s*([smhd])$/.exec(written ?? '') ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}

/** Reads a rate such as `60/min`, `5/s` or `100/10s`; undefined for anything else. */
export function readRate(written: string | undefined): Omit<CallRate, 'name'> | undefined {
  const [, calls, count, unit = ''] = RATE.exec(written ?? '') ?? [];
  if (calls === undefined || Number(calls) === 0 || count === '0') return undefined;
  return { calls: Number(calls), windowMs: Number(count || 1) * (UNITS[unit.charAt(0)] ?? 0) };
}

const RATE =
  /^(\d{1,9})\s*\/\s*(\d{0,6})\s*(s|sec|second|seconds|m|min|minute|minutes|h|hour|hours|d|day|days)$/;
