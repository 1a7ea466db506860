import { GatewayError } from '../../contract/gateway-error.ts';
import type { Expression } from '../../engine/tree/expression-tree.ts';
import type { QueryOptions, SystemQueryOptions } from '../../engine/tree/options-tree.ts';
import { Cursor, type Parse } from './cursor.ts';
import { decodePiece } from './decode.ts';
import type { UrlLimits } from './limits.ts';
import { findOptionRule, type OptionRule, parseAliasValue } from './system-options.ts';

/** What was collected so far. */
interface Collected {
  options: SystemQueryOptions;
  readonly aliases: Map<string, Expression>;
  readonly custom: Map<string, string>;
}

const ALIAS_NAME = /^@[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;

/**
 * queryOptions = queryOption *( "&" queryOption ), percent-encoded and without the question mark.
 *
 * Part 2, 2.1: it is split at `&`, each piece at its first `=`, and then each part is decoded once.
 */
export function parseQueryOptions(query: string, limits: UrlLimits): QueryOptions {
  const collected: Collected = { options: {}, aliases: new Map(), custom: new Map() };
  for (const piece of query.split('&')) {
    if (piece !== '') parseQueryOption(piece, limits, collected);
  }
  const { options, aliases, custom } = collected;
  return custom.size > 0 ? { ...options, aliases, custom } : { ...options, aliases };
}

/** queryOption = systemQueryOption / aliasAndValue / customQueryOption. */
function parseQueryOption(piece: string, limits: UrlLimits, collected: Collected): void {
  const equals = piece.indexOf('=');
  const name = decodePiece('query', equals < 0 ? piece : piece.slice(0, equals), 'name');
  const rawValue = equals < 0 ? '' : piece.slice(equals + 1);
  const rule = findOptionRule(name);
  if (name.startsWith('@')) addAlias(name, rawValue, limits, collected);
  else if (rule === undefined || rule.property === 'levels') addCustom(name, rawValue, collected);
  else addOption(rule, rawValue, limits, collected);
}

/** systemQueryOption: MUST NOT be given more than once, in whatever spelling (Part 2, 5.1). */
function addOption(rule: OptionRule, rawValue: string, limits: UrlLimits, collected: Collected): void {
  const subject = `$${rule.property.toLowerCase()}`;
  if (rule.property in collected.options) refuse(subject, 'to be given once, found it twice');
  const parsed = parseValue(subject, rawValue, limits, (cursor) => rule.parse(cursor, false));
  collected.options = { ...collected.options, ...parsed };
}

/** aliasAndValue = AT odataIdentifier EQ value (Part 2, 5.3). */
function addAlias(name: string, rawValue: string, limits: UrlLimits, { aliases }: Collected): void {
  if (!ALIAS_NAME.test(name)) refuse(shorten(name), '@ and an identifier, found something else');
  const alias = name.slice(1);
  if (aliases.has(alias)) refuse(shorten(name), 'to be given once, found it twice');
  aliases.set(alias, parseValue(shorten(name), rawValue, limits, parseAliasValue));
}

/** customQueryOption: any name without a dollar sign; ignored, so a second one is no error (5.2). */
function addCustom(name: string, rawValue: string, { custom }: Collected): void {
  if (name.startsWith('$')) refuse(shorten(name), 'the name of a system query option, found none of them');
  custom.set(name, decodePiece('query', rawValue, 'text'));
}

/** Part 1, 6.1: what follows the value would be ignored, so nothing may. */
function parseValue<Result>(
  subject: string,
  rawValue: string,
  limits: UrlLimits,
  parse: Parse<Result>,
): Result {
  const text = decodePiece(subject, rawValue, 'text');
  const cursor = new Cursor(subject, text, limits, { encodedSemicolons: encodedSemicolons(rawValue) });
  const value = parse(cursor);
  cursor.expectEnd();
  return value;
}

const ENCODED_SEMICOLON = /%3B/i;

/** Where the decoded text has what was written `%3B`. */
function encodedSemicolons(rawValue: string): ReadonlySet<number> {
  const positions = new Set<number>();
  let end = -1;
  for (const part of rawValue.split(ENCODED_SEMICOLON).slice(0, -1)) {
    end += decodeURIComponent(part).length + 1;
    positions.add(end);
  }
  return positions;
}

function refuse(target: string, expected: string): never {
  throw new GatewayError('BadRequest', `${target}: expected ${expected}`, { target });
}

function shorten(name: string): string {
  return name.slice(0, 100).toWellFormed();
}
