import { isObject } from '../../core/json-object.ts';
import { badResponse } from '../exchange/upstream-failure.ts';

/**
 * Throws if an object without its list is no answer of a list at all: it reports an error, or has no member that the
 * document describes.
 */
export function assertListEnvelope(source: unknown, described: readonly string[] | undefined): void {
  if (described === undefined || !isObject(source)) return;
  const members = new Map(Object.entries(source).map(([name, value]) => [name.toLowerCase(), value]));
  const isDescribed = described.some((name) => members.has(name.toLowerCase()));
  if (!isDescribed) throw badResponse('expected the object that holds a list, found no member of it');
  if (reportsError(members)) throw badResponse('expected a list, found an object that reports an error');
}

const FAILED = /^(?:error|fail(?:ed|ure)?)$/i;

function reportsError(members: ReadonlyMap<string, unknown>): boolean {
  if (members.get('success') === false || members.get('ok') === false) return true;
  const status = members.get('status');
  if (typeof status === 'string' && FAILED.test(status)) return true;
  return ['error', 'errors', 'fault', 'exception'].some((name) => isGiven(members.get(name)));
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0;
}
