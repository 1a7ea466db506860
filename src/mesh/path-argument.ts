import { GatewayError } from '../contract/gateway-error.ts';
import type { HttpField } from './http-field.ts';

const MAXIMUM_LENGTH = 256;
const SHOWN_LENGTH = 100;

/** Control characters; they are refused because upstreams differ in what they take them for. */
const CONTROL = /\p{Cc}/u;

/**
 * Makes each path argument one segment of the path.
 *
 * `encodeURIComponent` leaves `.` and `..` alone, and both would address another path.
 */
export function encodePathArguments(
  { pathArguments }: HttpField,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (pathArguments.length === 0) return args;
  const encoded: Record<string, unknown> = { ...args };
  for (const name of pathArguments) encoded[name] = encodeURIComponent(segmentText(name, args[name]));
  return encoded;
}

function segmentText(name: string, value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value ?? '');
  const reason = whyNotSegment(text);
  if (reason === undefined) return text;
  const shown = JSON.stringify(text.slice(0, SHOWN_LENGTH).toWellFormed());
  throw new GatewayError('BadRequest', `"${name}" ${reason}; found ${shown}.`, { target: name });
}

function whyNotSegment(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text === '.' || text === '..') return 'must not be a relative path';
  if (text.length > MAXIMUM_LENGTH) return `must not have more than ${MAXIMUM_LENGTH} characters`;
  if (!text.isWellFormed()) return 'must not have half a surrogate pair';
  if (CONTROL.test(text)) return 'must not have control characters';
  return undefined;
}
