const DAY_MS = 86_400_000;

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days the second date is after the first; negative where it is before it. */
export function daysBetween(first: string, second: string): number {
  return Math.round((Date.parse(second) - Date.parse(first)) / DAY_MS);
}

/** The day of a moment. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

/** The number of days that a period such as `P28D` is long. */
export function daysOf(period: string): number {
  return Number(period.slice(1, -1));
}
