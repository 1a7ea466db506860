export function shorten(text: string, most = 100): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
