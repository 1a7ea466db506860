/** The longest time for which an API is taken at its word, in milliseconds: it is asked again after an hour. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** RFC 9110, 10.2.3: seconds, or an HTTP date; some APIs send parts of seconds. */
const FORM = /^(\d{1,9}(?:\.\d{1,9})?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** The milliseconds until an API wants to be asked again, negative for a time that is over; undefined for any other text. */
export function retryDelay(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined || !FORM.test(retryAfter)) return undefined;
  return /^\d/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
}
