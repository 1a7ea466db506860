import type { Cursor } from './cursor.ts';

/** Text in double quotes where a backslash escapes what follows, quotes and backslashes included. */
export function takeDoubleQuoted(cursor: Cursor): string {
  const start = cursor.position;
  const { text } = cursor;
  if (!cursor.take('"')) cursor.fail('a string in double quotes');
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) cursor.fail('the closing "', text.length);
  cursor.position = end + 1;
  return text.slice(start, end + 1);
}
