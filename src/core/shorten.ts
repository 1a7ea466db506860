/** The beginning of a text that may be very long, for a message or a log. */
export function shorten(text: string, most = 100): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
