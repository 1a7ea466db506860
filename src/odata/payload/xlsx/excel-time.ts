const DAY_MS = 86_400_000;
const DAY_ZERO = Date.UTC(1899, 11, 30);
/** Excel counts a 29 February 1900, which there never was, and other programs do not: they would show other dates before. */
const FIRST = Date.UTC(1900, 2, 1);
const BEYOND = Date.UTC(10_000, 0, 1);
const BEYOND_DAYS = (BEYOND - DAY_ZERO) / DAY_MS;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
const POINT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The days that Excel has in place of a date; undefined for what it has none of. So it is with the others below. */
export function dateNumber(text: string): number | undefined {
  return DATE.test(text) ? daysAt(Date.parse(text)) : undefined;
}

/** A point in time, in UTC: Excel knows no time zones. */
export function pointNumber(text: string): number | undefined {
  return POINT.test(text) ? daysAt(Date.parse(text)) : undefined;
}

/** A time of day as a part of the day. */
export function timeNumber(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(`1970-01-01T${text}Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time / DAY_MS;
}

function daysAt(time: number): number | undefined {
  if (!(time >= FIRST && time < BEYOND)) return undefined;
  return (time - DAY_ZERO) / DAY_MS;
}

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const HOURS = 24;
const MINUTES = 1440;
const SECONDS = 86_400;

/** A duration in days. Excel shows no negative ones. */
export function durationNumber(text: string): number | undefined {
  const found = DURATION.exec(text.replace(/^\+/, ''));
  if (found === null) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const all = days + hours / HOURS + minutes / MINUTES + seconds / SECONDS;
  return all < BEYOND_DAYS ? all : undefined;
}
