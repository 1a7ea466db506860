import type { Evaluate } from '../scope/bound-tree.ts';
import {
  dateOf,
  dateTimeParts,
  monthStart,
  PICOSECONDS,
  timeParts,
  writeDateTime,
} from '../values/date-time.ts';
import { type DecimalValue, divideDecimals } from '../values/decimal.ts';
import { durationOf } from '../values/duration.ts';
import { type CallSite, type ParameterType, type Signature, signature } from './signature.ts';

type Entry = readonly [string, readonly Signature[]];

const DATE_TIME = 'Edm.DateTimeOffset';
const TIME = 'Edm.TimeOfDay';

/**
 * Date and time functions (5.1.1.8). They read a value in its own offset, and `now()` is the time at
 * which the run began, in UTC.
 */
export const DATE_TIME_FUNCTIONS: readonly Entry[] = [
  ofDate('year', (text, month) => text.slice(0, month - 1)),
  ofDate('month', (text, month) => text.slice(month, month + 2)),
  ofDate('day', (text, month) => text.slice(month + 3, month + 5)),
  ofTime('hour', (time) => timeParts(time).hour),
  ofTime('minute', (time) => timeParts(time).minute),
  ofTime('second', (time) => timeParts(time).second),
  ofTime('fractionalseconds', (time) => fractionOf(time), 'Edm.Decimal'),
  [
    'totaloffsetminutes',
    [signature([DATE_TIME], 'Edm.Int32', (text: string) => dateTimeParts(text)?.offset ?? 0)],
  ],
  ['totalseconds', [signature(['Edm.Duration'], 'Edm.Decimal', totalSeconds)]],
  ['date', [signature([DATE_TIME], 'Edm.Date', dateOf)]],
  ['time', [signature([DATE_TIME], TIME, timeOf)]],
  ['mindatetime', [signature([], DATE_TIME, () => '0001-01-01T00:00:00Z')]],
  ['maxdatetime', [signature([], DATE_TIME, () => '9999-12-31T23:59:59.999999999999Z')]],
  ['now', [{ parameters: [], result: DATE_TIME, prepare: prepareNow }]],
];

function prepareNow({ current }: CallSite): Evaluate {
  current.isAskedForTime = true;
  return () => writeDateTime(BigInt(current.startedAt) * (PICOSECONDS / 1000n), 0);
}

function ofDate(name: string, digits: (text: string, month: number) => string): Entry {
  const part = (text: string): number => Number(digits(text, monthStart(text)));
  return [name, overloads(['Edm.Date', DATE_TIME], (type) => signature([type], 'Edm.Int32', part))];
}

function ofTime(
  name: string,
  part: (time: string) => DecimalValue,
  result: 'Edm.Int32' | 'Edm.Decimal' = 'Edm.Int32',
): Entry {
  return [
    name,
    [signature([TIME], result, part), signature([DATE_TIME], result, (text: string) => part(timeOf(text)))],
  ];
}

function overloads(
  types: readonly ParameterType[],
  overload: (type: ParameterType) => Signature,
): readonly Signature[] {
  return types.map(overload);
}

function timeOf(text: string): string {
  return dateTimeParts(text)?.time ?? '00:00:00';
}

function fractionOf(time: string): DecimalValue {
  return Number(`0.${timeParts(time).fraction || '0'}`);
}

function totalSeconds(duration: string): DecimalValue {
  return divideDecimals(durationOf(duration), PICOSECONDS);
}
