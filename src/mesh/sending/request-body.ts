import type { Arguments } from '../../contract/entity-source.ts';
import { doubleValue, exactNumberWriter, untypedValue } from '../../contract/exact-number.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import {
  type StructuralProperty,
  type StructuredType,
  type TypeUse,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Operation } from '../../model/operation.ts';
import { isNumeric } from '../../model/type-use.ts';
import { isForm } from '../fields/http-field.ts';
import { byDiscriminator, memberValue, upstreamText } from '../fields/scalar-checks.ts';
import { rawJson, scalarText } from '../reading/parse-json.ts';
import type { ParameterTypes } from './parameter-types.ts';

/** An entity under the upstream's names and with its values, at every depth. Numbers keep their digits. */
export function entityBody(type: StructuredType, values: Row, wrappedIn?: string | undefined): Uint8Array {
  const sent = renamed(type, exactValues(type, values));
  return bytesOf(wrappedIn === undefined ? sent : { [wrappedIn]: sent });
}

/** What a function or an action is called with, in the media type that its operation takes. */
export function argumentBody(
  types: ParameterTypes,
  operation: Operation,
  body: Arguments,
  mediaType: string | undefined,
): Uint8Array {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const members = given.map(([name, value]) => {
    const use = types.body(operation, name);
    return [name, use === undefined ? jsonOf(value) : upstreamValue(use, jsonOf(value))] as const;
  });
  // A body that is no object is one parameter without a name.
  const whole = members.find(([name]) => name === '');
  const sent = whole === undefined ? Object.fromEntries(members) : whole[1];
  return isForm(mediaType) ? formOf(sent) : bytesOf(sent);
}

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** RFC 1866, 8.2.1; items of a list repeat the name, and objects are JSON (OpenAPI 3.1, 4.8.15). */
function formOf(value: unknown): Uint8Array {
  const form = new URLSearchParams();
  for (const [name, member] of Object.entries(value as object)) {
    for (const item of Array.isArray(member) ? member : [member]) {
      form.append(name, typeof item === 'string' ? item : JSON.stringify(item));
    }
  }
  return Buffer.from(form.toString());
}

function renamed(declared: StructuredType, object: object): object {
  const family = withDerivedTypes(declared);
  const stated = statedType(family, object);
  const type = stated ?? discriminatedType(family, declared, object) ?? declared;
  const sent: Sent = {};
  for (const [name, value] of Object.entries(object)) {
    // Control information (JSON Format 4.01, 4.6) is not the upstream's.
    if (!name.includes('@')) put(sent, memberOf(type, name, value));
  }
  return stated === undefined ? sent : { ...sent, ...sign(type), ...sent };
}

/** An object on its way to the upstream. */
type Sent = Record<string, unknown>;

/** A value and where the upstream has it: upstream names, those of the objects that hold it first. */
interface SentMember {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Puts a value at its place. What an object already says there stays: that is the more exact one. */
function put(sent: Sent, { path, value }: SentMember): void {
  const [name = '', ...deeper] = path;
  if (deeper.length === 0) {
    const before = sent[name];
    define(sent, name, isObject(value) && isObject(before) ? { ...before, ...value } : value);
    return;
  }
  const known = Object.hasOwn(sent, name) ? sent[name] : undefined;
  const holder = isObject(known) ? known : {};
  if (holder !== known) define(sent, name, holder);
  put(holder, { path: deeper, value });
}

/** Whatever the name is, it becomes a member of the object itself. */
function define(sent: Sent, name: string, value: unknown): void {
  Object.defineProperty(sent, name, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is Sent {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && scalarText(value) === undefined
  );
}

/** What tells the upstream that an object is of the type. */
function sign({ discriminator, structuralProperties }: StructuredType): object {
  const { upstreamName, value } = discriminator ?? {};
  if (upstreamName === undefined || value === undefined) return {};
  const property = [...structuralProperties.values()].find((each) => each.upstreamName === upstreamName);
  const isPrimitive = property?.type.kind === 'primitive';
  return { [upstreamName]: isPrimitive ? upstreamValue(property, value) : value };
}

function memberOf(type: StructuredType, name: string, value: unknown): SentMember {
  const property = type.structuralProperties.get(name);
  if (property !== undefined) {
    return { path: placeOf(property), value: upstreamValue(property, value) };
  }
  const navigation = type.navigationProperties.get(name);
  if (navigation?.origin.kind !== 'embedded') return { path: [name], value };
  const use = { type: navigation.entityType };
  return { path: placeOf(navigation.origin), value: upstreamValue(use, value) };
}

function statedType(family: readonly StructuredType[], object: object): StructuredType | undefined {
  const { [TYPE]: stated } = object as Row;
  return stated === undefined ? undefined : family.find((type) => type.name === stated);
}

function discriminatedType(
  family: readonly StructuredType[],
  { discriminator, structuralProperties }: StructuredType,
  object: object,
): StructuredType | undefined {
  if (discriminator === undefined) return undefined;
  const property = [...structuralProperties.values()].find(
    ({ upstreamName }) => upstreamName === discriminator.upstreamName,
  );
  const value = (object as Record<string, unknown>)[property?.name ?? discriminator.upstreamName];
  return byDiscriminator(family).get(value);
}

function placeOf({ upstreamName, within = [] }: Pick<StructuralProperty, 'upstreamName' | 'within'>) {
  return [...within, upstreamName];
}

type ValueUse = Pick<TypeUse, 'type'> & Partial<Pick<StructuralProperty, 'upstreamTypes'>>;

function upstreamValue(use: ValueUse, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => upstreamValue(use, item));
  const { type } = use;
  switch (type.kind) {
    case 'enumeration':
      return memberValue(type, value);
    case 'complex':
    case 'entity':
      return typeof value === 'object' && value !== null ? renamed(type, value) : value;
    case 'primitive':
      return primitiveValue(type.name, jsonKind(use), value);
  }
}

/** What the upstream has in its JSON for a primitive value; undefined where any will do. */
function jsonKind({ type, upstreamTypes }: ValueUse): 'text' | 'number' | 'boolean' | undefined {
  if (upstreamTypes === undefined) return isNumeric(type.name) ? 'number' : undefined;
  const [only, ...others] = upstreamTypes;
  if (others.length > 0) return undefined;
  if (only === 'integer' || only === 'number') return 'number';
  if (only === 'string') return 'text';
  return only === 'boolean' ? 'boolean' : undefined;
}

/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Numbers may come as text (JSON Format 4.01, 7.1: IEEE754Compatible), and keys be numbers upstream. */
function primitiveValue(type: string, kind: ReturnType<typeof jsonKind>, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value !== 'string') return kind === 'text' ? (scalarText(value) ?? value) : value;
  if (kind === 'number' && JSON_NUMBER.test(value)) return rawJson(value);
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // Times of day stay as they were written: the upstream's own may have no seconds.
  return type === 'Edm.TimeOfDay' ? value : upstreamText(type, value);
}

/** A value as JSON.stringify is to write it. */
function jsonOf(value: Value): unknown {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'bigint') return rawJson(String(value));
  if (typeof value === 'object' && value !== null) return jsonObject(value as Row);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new GatewayError('BadRequest', `${value} has no form in the upstream's JSON.`);
  }
  return value;
}

function jsonObject(row: Row): object {
  const members = Object.entries(row).map(([name, value]) => [name, jsonOf(value)] as const);
  const { [TYPE]: type } = row;
  return { ...Object.fromEntries(members), ...(type !== undefined && { [TYPE]: type }) };
}

/**
 * The values of an entity or a complex value, by the model's names, as JSON.stringify is to write them: with all digits
 * of their numbers.
 */
export function exactValues(declared: StructuredType, row: Row): Row {
  const type = typeOf(declared, row);
  const members = Object.entries(row).map(([name, value]) => {
    const property = type.structuralProperties.get(name);
    const exact = property === undefined ? relatedOf(type, name, value) : exactOf(property, value);
    return [name, exact] as const;
  });
  const { [TYPE]: stated } = row;
  return { ...Object.fromEntries(members), ...(stated !== undefined && { [TYPE]: stated }) };
}

function typeOf(declared: StructuredType, { [TYPE]: name }: Row): StructuredType {
  return withDerivedTypes(declared).find((type) => type.name === name) ?? declared;
}

/** Entities within the entity's own JSON, or else an undeclared property. */
function relatedOf(type: StructuredType, name: string, value: Value): Value {
  const declared = type.navigationProperties.get(name)?.entityType;
  if (declared === undefined || value === null) return untypedValue(value);
  if (!Array.isArray(value)) return exactValues(declared, value as Row);
  return value.map((item) => exactValues(declared, item as Row));
}

const exactNumber = exactNumberWriter({ ieee754Compatible: false, exponentialDecimals: false });

function exactOf(use: Pick<TypeUse, 'type'>, value: Value): Value {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => exactOf(use, item));
  switch (use.type.name) {
    case 'Edm.Int64':
    case 'Edm.Decimal':
      return exactNumber(value);
    case 'Edm.Single':
    case 'Edm.Double':
      return doubleValue(value);
  }
  return use.type.kind === 'complex' ? exactValues(use.type, value as Row) : untypedValue(value);
}
