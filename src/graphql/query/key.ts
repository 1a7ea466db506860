import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import { shorten } from '../../core/shorten.ts';
import { parsePrimitive } from '../../engine/values/primitive.ts';
import { type EntityType, isComparable, keyProperties, type StructuralProperty } from '../../model/edm.ts';
import type { Input } from '../context/graphql-context.ts';
import { fieldName } from '../context/names.ts';
import type { ShownModel } from '../context/schema-names.ts';

/** The argument names of the key parts: those of their fields, if visible. */
export function keyNames(
  { names }: ShownModel,
  type: EntityType,
): readonly (readonly [argument: string, property: StructuralProperty])[] {
  const members = [...names.membersOf(type)];
  return keyProperties(type).map((property) => {
    const found = members.find(
      ([, member]) => member.kind === 'property' && member.property.name === property.name,
    );
    return [found?.[0] ?? fieldName(property.name), property];
  });
}

/** Parses key values from ID arguments. Throws BadRequest for an invalid value. */
export function keyOf(shown: ShownModel, type: EntityType, args: Input): Row {
  return Object.fromEntries(
    keyNames(shown, type).map(([argument, property]) => [
      property.name,
      keyValue(property, argument, args[argument]),
    ]),
  );
}

function keyValue({ type }: StructuralProperty, argument: string, given: unknown): Value {
  if (type.kind !== 'primitive' || !isComparable(type.name)) return String(given);
  const value = parsePrimitive(type.name, String(given));
  if (value !== undefined) return value;
  const found = JSON.stringify(shorten(String(given)));
  throw new GatewayError('BadRequest', `${argument}: expected ${type.name}, found ${found}.`, {
    target: argument,
  });
}
