/**
 * The forms of values that are texts, in URLs, in JSON and in CSDL alike (OData 4.01 ABNF, primitiveValue).
 *
 * Years have four digits, as in RFC 3339; fractions of a second have up to twelve.
 */
const DATE = /^\d{4}-\d\d-\d\d$/;
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const BASE64_URL = /^[\w-]*={0,2}$/;

/** timeOfDayValue; its groups are the parts. The day's last minute may have a leap second. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|(?<=23:59:)60)(?:\.(\d{1,12}))?)?$/;
/** dateTimeOffsetValue, in any year; its groups are the date, the time, the offset and the parts of that. */
export const DATE_TIME_OFFSET =
  /^(-?\d{4,6}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|(?<=23:59:)60)(?:\.\d{1,12})?)?)(Z|([+-])(0\d|1[0-4]):([0-5]\d))$/i;
/** durationValue, with one part at least; its groups are the sign and the parts. */
export const DURATION =
  /^([+-])?P(?=\d|T)(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,12})H)?(?:(\d{1,12})M)?(?:(\d{1,12})(?:\.(\d{1,12}))?S)?)?$/;

/** Whether the text has the form of a value of a type whose values are texts; no other type's does. */
export function hasLiteralForm(type: string, text: string): boolean {
  switch (type) {
    case 'Edm.Date':
      return isDate(text);
    case 'Edm.DateTimeOffset':
      return DATE_TIME_OFFSET.test(text) && isDate(text.slice(0, 10));
    case 'Edm.TimeOfDay':
      return TIME_OF_DAY.test(text);
    case 'Edm.Duration':
      return DURATION.test(text);
    case 'Edm.Guid':
      return GUID.test(text);
    case 'Edm.Binary':
      return BASE64_URL.test(text);
    default:
      return false;
  }
}

/** On a day that the calendar has. */
function isDate(text: string): boolean {
  return DATE.test(text) && isDay(text);
}

function isDay(isoDate: string): boolean {
  const day = Date.parse(`${isoDate}T00:00:00Z`);
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(`${isoDate}T`);
}

const DISTANT_DATE = /^(?:(?:(-)(\d{4,6})|(\d{5,6}))(-\d\d-\d\d))/;

/**
 * The date as ISO 8601 writes those before the year 0 and after 9999, with a sign and six digits; undefined for all
 * others.
 */
export function distantDate(text: string): string | undefined {
  const [, sign = '+', before, after = before, day = ''] = DISTANT_DATE.exec(text) ?? [];
  return after === undefined ? undefined : `${sign}${after.padStart(6, '0')}${day}`;
}

/** Whether the text is a literal that compares with dates, but that none of them has the form of. */
export function isDistant(type: string, text: string): boolean {
  const date = distantDate(text);
  if (date === undefined || !isDay(date)) return false;
  return type === 'Edm.Date'
    ? /^-?\d+-\d\d-\d\d$/.test(text)
    : type === 'Edm.DateTimeOffset' && DATE_TIME_OFFSET.test(text);
}

/** How many digits of a second's fraction the text has. */
export function fractionDigits(text: string): number {
  return /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
}
