const MAXIMUM_LENGTH = 256;

/** The reason why a text cannot be one path segment in any encoding (RFC 3986, 3.3); undefined if it can. */
export function segmentMistake(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text === '.' || text === '..') return 'must not be a relative path';
  if (text.length > MAXIMUM_LENGTH) return `must not have more than ${MAXIMUM_LENGTH} characters`;
  if (!text.isWellFormed()) return 'must not have half a surrogate pair';
  if (/\p{Cc}/u.test(text)) return 'must not have control characters';
  return undefined;
}
