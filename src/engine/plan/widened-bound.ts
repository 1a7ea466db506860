import type { Value } from '../../contract/row.ts';
import type { PropertyCondition } from '../resource/read-needs.ts';

type BoundCondition = Extract<PropertyCondition, { readonly kind: 'lower' | 'upper' }>;

const DATE = /^-?\d{4,}-\d{2}-\d{2}$/;
const DATE_TIME = /^-?\d{4,}-\d{2}-\d{2}T/;

/**
 * The bound to send, so that no entity is missing that meets the condition. If the document does not declare whether a
 * bound is inclusive, it is one unit wider. A date has no offset: it is a day wider. An API may leave out the offsets of its
 * times, or compare them as texts: a time is wider by the largest offset. Undefined for other types, which are not sent.
 */
export function widened(
  { kind, value, inclusive }: BoundCondition,
  isInclusive: boolean | undefined,
): Value | undefined {
  const isExact = isInclusive === true || (isInclusive === false && !inclusive);
  const sign = kind === 'lower' ? -1 : 1;
  if (typeof value === 'number') return isExact ? value : value + sign;
  if (typeof value === 'bigint') return isExact ? value : value + BigInt(sign);
  if (typeof value !== 'string') return undefined;
  if (DATE.test(value)) return moved(value, sign * DAY)?.slice(0, 10);
  return DATE_TIME.test(value) ? moved(value, sign * LARGEST_OFFSET) : undefined;
}

/** Of a time zone: UTC+14. */
const LARGEST_OFFSET = 14 * 3_600_000;
const DAY = 86_400_000;

function moved(text: string, milliseconds: number): string | undefined {
  const time = Date.parse(text) + milliseconds;
  const year = Number.isNaN(time) ? Number.NaN : new Date(time).getUTCFullYear();
  return year >= 1 && year <= 9999 ? new Date(time).toISOString() : undefined;
}
