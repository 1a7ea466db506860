import { DURATION } from '../../model/literal-form.ts';
import { PICOSECONDS, writeFraction } from './date-time.ts';

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
