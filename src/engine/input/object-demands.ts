import type { Value } from '../../contract/row.ts';
import { takenProperties } from '../../model/sent-type.ts';
import type { InputObject } from './input-value.ts';
import { pathTo, quote } from './mistakes.ts';
import type { Reading } from './reading.ts';
import { discriminatorOf, type InputType, isTypeNamed, qualifiedName } from './type-of-object.ts';

/**
 * The type that an object names, or that its place has beneath another one's, is told in the upstream's way; that of
 * an entity does not change (Part 1, 11.4.3).
 */
export function discriminatorMember(
  { kind, mistakes }: Reading,
  type: InputType,
  object: InputObject,
  path: string,
  told: readonly [string, Value][],
): readonly [string, Value][] {
  const isKnown = isTypeNamed(object) || type.base !== undefined;
  const isTold = isKnown && (kind !== 'update' || !('key' in type));
  const sign = isTold ? discriminatorOf(type) : undefined;
  if (sign === undefined) return [];
  const said = told.find(([name]) => name === sign.name);
  if (said === undefined) return [[sign.name, sign.value]];
  // What has the base type may be of any type that nobody knows.
  const isExact = type.base !== undefined && type.discriminator?.otherValues === undefined;
  const isOther = isExact && said[1] !== sign.value;
  if (isOther && said[1] !== null) {
    const expected = `"${String(sign.value)}", as ${qualifiedName(type)} has it`;
    mistakes.add(pathTo(path, sign.name), expected, quote(String(said[1])));
  }
  return [];
}

/**
 * Part 1, 11.4.2: what the operation must have, and what has neither a default nor may be null, has to be said. A
 * key may be missing all the same: many APIs give it themselves without saying so.
 */
export function demandRequired(
  { kind, mistakes, sent }: Pick<Reading, 'kind' | 'mistakes' | 'sent'>,
  type: InputType,
  object: InputObject,
  path: string,
  told: ReadonlySet<string>,
  key: ReadonlySet<string>,
): void {
  for (const [name, property] of takenProperties(type, sent)) {
    const { required, nullable, collection, computed, immutable, defaultValue } = property;
    const isFree =
      !required || nullable || collection || computed || defaultValue !== undefined || key.has(name);
    const isFixed = kind === 'replace' && immutable;
    if (isFree || isFixed || told.has(name) || Object.hasOwn(object, name)) continue;
    if (property.type.name !== 'Edm.Stream') mistakes.add(pathTo(path, name), 'a value', 'none');
  }
}
