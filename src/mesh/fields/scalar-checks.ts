import {
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLScalarType,
  isEnumType,
  isScalarType,
} from 'graphql';
import type { EnumerationType, StructuredType } from '../../model/edm.ts';
import { ExactNumber } from '../exchange/exact-number.ts';

/** What is expected of a JSON value, and whether it is that. */
export interface LeafCheck {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const JSON_DEPTH = 200;

const INT: LeafCheck = {
  expected: 'an integer of 32 bits',
  accepts: (value) => typeof value === 'number' && value === (value | 0),
};
const FLOAT: LeafCheck = {
  expected: 'a number',
  accepts: (value) => Number.isFinite(value) || value instanceof ExactNumber,
};
const STRING: LeafCheck = { expected: 'a string', accepts: (value) => typeof value === 'string' };
const BOOLEAN: LeafCheck = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const ID: LeafCheck = {
  expected: 'a string or an integer',
  accepts: (value) => typeof value === 'string' || Number.isSafeInteger(value),
};
/** Of any size, as a number. */
export const INTEGER: LeafCheck = {
  expected: 'an integer',
  accepts: (value) =>
    Number.isSafeInteger(value) ||
    typeof value === 'bigint' ||
    (value instanceof ExactNumber && /^-?\d{1,40}$/.test(value.text)),
};
/** Many APIs write large ones as texts. */
const BIG_INT: LeafCheck = {
  expected: 'an integer',
  accepts: (value) => INTEGER.accepts(value) || (typeof value === 'string' && /^-?\d{1,40}$/.test(value)),
};
/** Clocks show no zone: OData's times of day have none, RFC 3339's `full-time` has one. */
const TIME: LeafCheck = {
  expected: 'a time of day',
  accepts: (value) =>
    typeof value === 'string' && /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i.test(value),
};
const ANY: LeafCheck = {
  expected: `a value of at most ${JSON_DEPTH} levels`,
  accepts: (value) => isShallow(value, JSON_DEPTH),
};

const CHECKS: ReadonlyMap<string, LeafCheck> = new Map([
  ['Int', INT],
  ['Float', FLOAT],
  ['String', STRING],
  ['Boolean', BOOLEAN],
  ['ID', ID],
  ['BigInt', BIG_INT],
  ['Time', TIME],
  ['JSON', ANY],
  ['JSONObject', ANY],
  ['ObjMap', ANY],
  ['Void', ANY],
]);

/** Scalars that Mesh makes of numbers with bounds; all others it makes of strings. */
const NUMERIC = /^((Non)?(Negative|Positive)(Int|Float)|Timestamp)$/;

/**
 * The check of a leaf type, stricter than GraphQL's own serialisation: that turns "7" into 7 and
 * true into "true", which would show clients what the upstream never said.
 */
export function leafCheck(type: GraphQLScalarType | GraphQLEnumType): LeafCheck {
  if (isEnumType(type)) return enumCheck(type);
  const { name } = type;
  return CHECKS.get(name) ?? customCheck(type, NUMERIC.test(name) ? 'number' : 'string');
}

/** The check of a scalar of that name, of which nothing else is known. */
export function checkNamed(name: string): LeafCheck {
  return CHECKS.get(name) ?? ANY;
}

/** What `typeof` says of the values of a scalar, where that is all that its check looks at. */
export function plainTypeOf(name: string): 'string' | 'boolean' | undefined {
  if (name === 'String') return 'string';
  return name === 'Boolean' ? 'boolean' : undefined;
}

/** Whether the type's values are JSON texts. */
export function isTextual(type: GraphQLNamedType): boolean {
  if (!isScalarType(type)) return isEnumType(type);
  const check = CHECKS.get(type.name);
  if (check !== undefined) return check === STRING || check === ID || check === TIME;
  return !NUMERIC.test(type.name);
}

function enumCheck(type: GraphQLEnumType): LeafCheck {
  const values = new Set<unknown>(type.getValues().map(({ value }) => value));
  return { expected: `a value of ${type.name}`, accepts: (value) => values.has(value) };
}

function customCheck(type: GraphQLScalarType, kind: 'number' | 'string'): LeafCheck {
  return {
    expected: `a ${kind} that is a valid ${type.name}`,
    accepts: (value) => {
      const plain = value instanceof ExactNumber ? value.valueOf() : value;
      return typeof plain === kind && canSerialize(type, plain);
    },
  };
}

function canSerialize(type: GraphQLScalarType, value: unknown): boolean {
  try {
    type.serialize(value);
    return true;
  } catch {
    return false;
  }
}

/** JSON.stringify overflows the stack where JSON.parse does not. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  return Object.values(value).every((item) => isShallow(item, levels - 1));
}

/** A value of an enumeration as the upstream has it; names of several flags are separated by commas. */
export function memberValue(type: EnumerationType | undefined, value: unknown): unknown {
  if (type === undefined || typeof value !== 'string') return value;
  const find = (name: string) => type.members.find((member) => member.name === name.trim());
  const member = find(value);
  if (member !== undefined || !type.flags) return member?.upstreamValue ?? value;
  const flags = value.split(',').map(find);
  const known = flags.filter((flag) => flag !== undefined);
  if (known.length < flags.length) return value;
  const isSum = known.every(({ upstreamValue }) => typeof upstreamValue === 'number');
  return isSum
    ? known.reduce((sum, flag) => sum | Number(flag.upstreamValue), 0)
    : known.map(({ upstreamValue }) => upstreamValue).join(',');
}

/**
 * The upstream's text for OData's text of a primitive value: base64 (RFC 4648, 4) for base64url, and
 * seconds (RFC 3339, 5.6), which OData may leave out.
 */
export function upstreamText(type: string, text: string): string {
  if (type === 'Edm.Binary') return Buffer.from(text, 'base64url').toString('base64');
  if (type === 'Edm.DateTimeOffset') return text.replace(/([Tt]\d\d:\d\d)(?=[Zz+-]|$)/, '$1:00');
  return type === 'Edm.TimeOfDay' ? text.replace(/^\d\d:\d\d$/, '$&:00') : text;
}

/** The types of a family by the values that the discriminator has for each. */
export function byDiscriminator(family: readonly StructuredType[]): ReadonlyMap<unknown, StructuredType> {
  return new Map(
    family.flatMap((type) => {
      const { value, otherValues = [] } = type.discriminator ?? {};
      const values = value === undefined ? otherValues : [value, ...otherValues];
      return values.map((each) => [each, type] as const);
    }),
  );
}
