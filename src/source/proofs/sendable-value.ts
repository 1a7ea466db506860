import { inForm, narrowedProperty, upstreamText } from '../../contract/narrowing-arguments.ts';
import type { Row, Value } from '../../contract/row.ts';
import { matchesPattern } from '../../core/safe-regexp.ts';
import type { EntityType, StructuralProperty } from '../../model/edm.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import { allows } from '../../model/type-use.ts';

/**
 * The values of a property that one proof is good for: `each` value needs its own (enumerations, Booleans), `any` value
 * is as good as another (numbers), and `text` depends on its kinds of characters.
 */
export type ValueClass = 'each' | 'any' | 'text';

const NUMBERS = /^Edm\.(?:Byte|SByte|Int16|Int32|Int64|Decimal|Double|Single)$/;
const BOUNDED = /^Edm\.(?:Date|DateTimeOffset|Byte|SByte|Int16|Int32|Int64|Decimal|Double|Single)$/;

/** An API may compare the texts of UUIDs, whose case is free. */
const TEXTS: ReadonlySet<string> = new Set(['Edm.String', 'Edm.Date', 'Edm.Guid']);

/** Undefined where no value of the property is ever sent for the condition. */
export function valueClass(
  { type, collection, facets }: StructuralProperty,
  { condition, ofElements }: NarrowingParameter,
): ValueClass | undefined {
  if (collection !== (ofElements === true)) return undefined;
  if (condition.kind === 'lower' || condition.kind === 'upper')
    return BOUNDED.test(type.name) ? 'any' : undefined;
  if (type.kind === 'enumeration') return type.flags ? undefined : 'each';
  if (facets.allowedValues !== undefined || type.name === 'Edm.Boolean') return 'each';
  if (NUMBERS.test(type.name)) return 'any';
  return TEXTS.has(type.name) ? 'text' : undefined;
}

/** Texts without a character that an API may take for a pattern, a list, a sign or an operator. */
const PLAIN_TEXT = /^[A-Za-z0-9][A-Za-z0-9_.@-]*$/;

/** Texts that APIs take for something other than a value, whatever the document says. */
const SPECIAL: ReadonlySet<string> = new Set([
  ...['all', 'any', 'none', 'null', 'nil', 'undefined', 'empty', 'true', 'false', 'yes', 'no', 'default'],
  ...[
    'me',
    'my',
    'self',
    'current',
    'own',
    'mine',
    'anonymous',
    'now',
    'today',
    'yesterday',
    'tomorrow',
    'latest',
  ],
]);

/** Whether the value may be sent: the document allows it, and it cannot mean anything but itself. */
export function isSendable(parameter: NarrowingParameter, type: EntityType, value: Value): boolean {
  const property = narrowedProperty(parameter, type);
  const kind = property && valueClass(property, parameter);
  if (property === undefined || kind === undefined || value === null || value === '') return false;
  if (typeof value === 'object') return false;
  const text = upstreamText(property, inForm(parameter, value));
  const isAllowed = allows(parameter.parameter.values, text, matchesPattern);
  // Columns of small precision do not find all of the numbers that they return.
  const isRange = parameter.condition.kind === 'lower' || parameter.condition.kind === 'upper';
  if (!isRange && typeof value === 'number' && !Number.isInteger(value)) return false;
  if (kind !== 'text') return isAllowed && (kind === 'any' || isKnown(property, value));
  const word = text.toLowerCase();
  return isAllowed && PLAIN_TEXT.test(text) && !SPECIAL.has(word) && !parameter.words.includes(word);
}

/** Whether the document enumerates the value; Booleans are known. */
function isKnown({ type, facets: { allowedValues } }: StructuralProperty, value: Value): boolean {
  if (type.kind === 'enumeration') return type.members.some(({ name }) => name === value);
  return typeof value === 'boolean' || allowedValues?.some((each) => each === value) === true;
}

/** The kinds of characters in a text, a bit each: an API may fold the case of a value, or cut it at another kind. */
export function characterKinds(text: string): number {
  return KINDS.reduce((found, kind, bit) => (kind.test(text) ? found | (1 << bit) : found), 0);
}

const KINDS: readonly RegExp[] = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[\p{P}\p{S}]/u, /\s/u, /[^\0-\x7f]/];

/** The values that the parameter compares: that at its path in a row, or the elements of the array there. */
export function valuesIn(row: Row, parameter: NarrowingParameter): readonly Value[] {
  const value = valueIn(row, parameter);
  if (value === undefined) return [];
  return parameter.ofElements === true ? (Array.isArray(value) ? (value as readonly Value[]) : []) : [value];
}

/** The value at the parameter's path in a row; undefined if it is missing or null. */
export function valueIn(row: Row, { path }: NarrowingParameter): Value | undefined {
  let value: Value | undefined = row;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as Row)[name];
  }
  return value ?? undefined;
}
