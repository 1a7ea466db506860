const DATE = /^-?(\d{4,6})-(\d\d)-(\d\d)$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?$/;
const OFFSET = /(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const DURATION = /^[+-]?P(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d{1,12})?S)?)?$/;

/** dateValue of the ABNF, on a day that the calendar has. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  return day !== undefined && isDay(Number(year), Number(month), Number(day));
}

/** timeOfDayValue */
export function isTimeOfDay(text: string): boolean {
  return TIME.test(text);
}

/** dateTimeOffsetValue */
export function isDateTimeOffset(text: string): boolean {
  const offset = OFFSET.exec(text);
  if (offset === null) return false;
  const [date = '', time = '', more] = text.slice(0, offset.index).split(/t/i);
  return more === undefined && isDate(date) && isTimeOfDay(time);
}

/** durationValue, with one part at least. */
export function isDuration(text: string): boolean {
  return DURATION.test(text) && /\d/.test(text) && !text.endsWith('T');
}

/** How many digits of a second's fraction the text has. */
export function fractionDigits(text: string): number {
  return /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}
