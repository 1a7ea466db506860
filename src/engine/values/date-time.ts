import { DATE_TIME_OFFSET, DURATION, distantDate, TIME_OF_DAY } from '../../model/type-use.ts';

export const PICOSECONDS = 1_000_000_000_000n;

interface DateTimeParts {
  readonly date: string;
  readonly time: string;
  /** Minutes east of UTC. */
  readonly offset: number;
}

interface TimeParts {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The digits behind the point. */
  readonly fraction: string;
}

function isoDate(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? '' : new Date(milliseconds).toISOString().slice(0, 10);
}

/** The parts as they are written: in the value's own offset (11.4.1.2). */
export function dateTimeParts(text: string): DateTimeParts | undefined {
  const [, date, time, , sign, hours, minutes] = DATE_TIME_OFFSET.exec(text) ?? [];
  if (date === undefined || time === undefined) {
    return undefined;
  }
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return { date, time, offset: sign === '-' ? -size : size };
}

export function timeParts(text: string): TimeParts {
  const [, hour, minute, second = '0', fraction = ''] = TIME_OF_DAY.exec(text) ?? [];
  return { hour: Number(hour), minute: Number(minute), second: Number(second), fraction };
}

/** Picoseconds since midnight. */
function timeInPicoseconds(text: string): bigint {
  const { hour, minute, second, fraction } = timeParts(text);
  return BigInt((hour * 60 + minute) * 60 + second) * PICOSECONDS + BigInt(fraction.padEnd(12, '0'));
}

/** Picoseconds between 1970-01-01 and the start of that day. */
export function dateInPicoseconds(date: string): bigint {
  return BigInt(Date.parse(`${distantDate(date) ?? date}T00:00:00Z`) / 1000) * PICOSECONDS;
}

/** The date of a point in time, in its own offset. */
export function dateOf(dateTime: string): string {
  return dateTime.slice(0, monthStart(dateTime) + 5);
}

/** The start of the month: after the first dash that is not a sign. */
export function monthStart(text: string): number {
  return text.indexOf('-', 1) + 1;
}

/** Picoseconds since 1970 in UTC. */
export function instantOf(text: string): bigint {
  const parts = dateTimeParts(text);
  return parts === undefined
    ? 0n
    : dateInPicoseconds(parts.date) +
        timeInPicoseconds(parts.time) -
        BigInt(parts.offset) * 60n * PICOSECONDS;
}

const EARLIEST = -62_167_219_200n * PICOSECONDS;
const LATEST = 253_402_300_800n * PICOSECONDS;

function isInRange(picoseconds: bigint): boolean {
  return picoseconds >= EARLIEST && picoseconds < LATEST;
}

/** The last whole second up to that instant, which may be before 1970. */
function wholeSeconds(picoseconds: bigint): bigint {
  const seconds = picoseconds / PICOSECONDS;
  return picoseconds % PICOSECONDS < 0n ? seconds - 1n : seconds;
}

/** The date of that instant; null beyond the year 9999. */
export function writeDate(picoseconds: bigint): string | null {
  return isInRange(picoseconds) ? isoDate(Number(wholeSeconds(picoseconds)) * 1000) : null;
}

/** An Edm.DateTimeOffset in the given offset; null beyond the year 9999. */
export function writeDateTime(picoseconds: bigint, offset: number): string | null {
  const local = picoseconds + BigInt(offset) * 60n * PICOSECONDS;
  if (!isInRange(local)) {
    return null;
  }
  const seconds = wholeSeconds(local);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return text + writeFraction(local - seconds * PICOSECONDS) + writeOffset(offset);
}

/** Picoseconds as a fraction such as `.5`; empty for zero. */
function writeFraction(picoseconds: bigint): string {
  return picoseconds === 0n ? '' : `.${String(picoseconds).padStart(12, '0').replace(/0+$/, '')}`;
}

function writeOffset(offset: number): string {
  const size = Math.abs(offset);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

/** Text that sorts as the times do: seconds are there, trailing zeros are not. */
export function timeKey(text: string): string {
  const { second, fraction } = timeParts(text);
  return `${text.slice(0, 5)}:${String(second).padStart(2, '0')}${writeFraction(BigInt(fraction.padEnd(12, '0')))}`;
}

const UTC_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Text that sorts as the instants do, whatever the offsets they were written in. */
export function dateTimeKey(text: string): string {
  return UTC_SECONDS.test(text) ? text.slice(0, 19) : slowDateTimeKey(text);
}

function slowDateTimeKey(text: string): string {
  const instant = instantOf(text);
  const seconds = wholeSeconds(instant);
  const utc = new Date(Number(seconds) * 1000).toISOString().replace(/\.000Z$/, '');
  return sortable(utc) + writeFraction(instant - seconds * PICOSECONDS);
}

/** Text that sorts as the dates do, those included that no value has the form of. */
export function dateKey(text: string): string {
  return sortable(distantDate(text) ?? text);
}

/**
 * ISO 8601 writes the years after 9999 with a plus sign, and must sort last; before 0, the greater number is the
 * earlier year.
 */
function sortable(isoText: string): string {
  return isoText.replace(/^\+/, ':').replace(/^-\d{6}/, (year) => `-${999_999 + Number(year)}`);
}

/** An Edm.Duration, `P1DT2H`, in picoseconds. */
export function durationOf(text: string): bigint {
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] =
    DURATION.exec(text) ?? [];
  const whole = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const size = whole * PICOSECONDS + BigInt(fraction.padEnd(12, '0'));
  return sign === '-' ? -size : size;
}

/** `PT0S`, `-P1DT2H3M4.5S`: days, hours, minutes and seconds, without those that are zero. */
export function writeDuration(picoseconds: bigint): string {
  const size = picoseconds < 0n ? -picoseconds : picoseconds;
  const seconds = size / PICOSECONDS;
  const time =
    unit((seconds / 3600n) % 24n, 'H') +
    unit((seconds / 60n) % 60n, 'M') +
    secondsUnit(seconds % 60n, size % PICOSECONDS);
  const text = unit(seconds / 86_400n, 'D') + (time === '' ? '' : `T${time}`);
  return `${picoseconds < 0n ? '-' : ''}P${text === '' ? 'T0S' : text}`;
}

function unit(amount: bigint, letter: string): string {
  return amount === 0n ? '' : `${amount}${letter}`;
}

function secondsUnit(seconds: bigint, fraction: bigint): string {
  return seconds === 0n && fraction === 0n ? '' : `${seconds}${writeFraction(fraction)}S`;
}
