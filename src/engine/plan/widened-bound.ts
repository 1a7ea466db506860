import type { Value } from '../../contract/row.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import type { PropertyCondition } from '../resource/read-needs.ts';

type BoundCondition = Extract<PropertyCondition, { readonly kind: 'lower' | 'upper' }>;

const DATE = /^-?\d{4,}-\d{2}-\d{2}$/;
const DATE_TIME = /^-?\d{4,}-\d{2}-\d{2}T/;

/**
 * The bound to send, so that no entity is missing that meets the condition. If the document does not declare whether a
 * bound is inclusive, it is one unit wider. A date has no offset: it is a day wider. An API may leave out the offsets of its
 * times, or compare them as texts: a time is wider by the largest offset. Where a date is sent for a time, it may mean the
 * beginning of that day or its end. Undefined for other types, which are not sent.
 */
export function widened(
  { kind, value, inclusive }: BoundCondition,
  isInclusive: boolean | undefined,
  form: NarrowingParameter['form'],
): Value | undefined {
  const isExact = isInclusive === true || (isInclusive === false && !inclusive);
  const sign = kind === 'lower' ? -1 : 1;
  if (typeof value === 'number') return isExact ? value : value + sign;
  if (typeof value === 'bigint') return isExact ? value : value + BigInt(sign);
  if (typeof value !== 'string') return undefined;
  if (DATE.test(value)) return moved(value, sign * DAY)?.slice(0, 10);
  if (!DATE_TIME.test(value)) return undefined;
  return moved(value, sign * (LARGEST_OFFSET + (form === 'date' ? DAY : 0)));
}

/** Of a time zone: UTC+14. */
const LARGEST_OFFSET = 14 * 3_600_000;
const DAY = 86_400_000;

function moved(text: string, milliseconds: number): string | undefined {
  const time = Date.parse(text) + milliseconds;
  const year = Number.isNaN(time) ? Number.NaN : new Date(time).getUTCFullYear();
  return year >= 1 && year <= 9999 ? new Date(time).toISOString() : undefined;
}
