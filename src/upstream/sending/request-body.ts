import type { Arguments } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import {
  doubleValue,
  exactNumberWriter,
  type Row,
  rawJson,
  scalarText,
  TYPE,
  untypedValue,
  type Value,
} from '../../contract/row.ts';
import {
  type StructuralProperty,
  type StructuredType,
  type TypeUse,
  upstreamPath,
  type ValueType,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { InsertOperation, Operation } from '../../model/operation.ts';
import { isBareKey, sentAs } from '../../model/sent-type.ts';
import { isNumeric } from '../../model/type-use.ts';
import { byDiscriminator } from '../reading/structural-reader.ts';
import { type EmptyMembers, formBody, type WrittenBody } from './form-body.ts';
import type { ParameterTypes } from './parameter-types.ts';
import { memberValue, upstreamText } from './upstream-value.ts';

type BodyOperation = Operation & Pick<InsertOperation, 'bodyWrappedIn' | 'bodyIsList' | 'sent'>;

/** An entity under the upstream's names and with its values, at every depth. Numbers keep their digits. */
export function entityBody(
  operation: BodyOperation,
  type: StructuredType,
  values: Row,
  empty: EmptyMembers,
): SentBody {
  const { bodyWrappedIn, bodyIsList } = operation;
  const entity = withBareKeys(operation, type, values, renamed(type, values, exactValue));
  const sent = bodyIsList === true ? [entity] : entity;
  return written(operation, bodyWrappedIn === undefined ? sent : { [bodyWrappedIn]: sent }, empty);
}

/** The object with the keys of related entities in place of objects, where the body has them so. */
function withBareKeys({ sent }: BodyOperation, declared: StructuredType, values: Row, entity: Sent): Sent {
  if (sent === undefined) return entity;
  const type = withDerivedTypes(declared).find(({ name }) => name === values[TYPE]) ?? declared;
  const taken = sentAs(sent, type);
  for (const property of type.structuralProperties.values()) {
    if (!isBareKey(taken, property)) continue;
    const [holder = '', name = ''] = upstreamPath(property);
    const object = Object.hasOwn(entity, holder) ? entity[holder] : undefined;
    if (isObject(object) && Object.hasOwn(object, name)) define(entity, holder, object[name]);
  }
  return entity;
}

/** The arguments of a function or an action that its body has. */
export function argumentBody(types: ParameterTypes, operation: Operation, body: Arguments): SentBody {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const members = given.map(([name, value]) => {
    const use = types.body(operation, name);
    return [name, use === undefined ? jsonOf(value) : upstreamValue(use, value, jsonOf)] as const;
  });
  // A body that is no object is one parameter without a name.
  const whole = members.find(([name]) => name === '');
  const sent = whole === undefined ? Object.fromEntries(members) : whole[1];
  return written(operation, sent, 'omitted');
}

/** A body, and its media type if the operation's field does not have it. */
type SentBody = Pick<WrittenBody, 'body'> & Partial<WrittenBody>;

function written({ form }: Operation, sent: unknown, empty: EmptyMembers): SentBody {
  return form === undefined || !isObject(sent)
    ? { body: Buffer.from(JSON.stringify(sent)) }
    : formBody(form, sent, empty);
}

/** Makes of a value what JSON.stringify is to write for it; undeclared values have no type. */
type WriteValue = (value: Value, type?: ValueType) => unknown;

/** An object with the upstream's names and values, at every depth. */
function renamed(declared: StructuredType, object: Row, write: WriteValue): Sent {
  const family = withDerivedTypes(declared);
  const stated = statedType(family, object);
  const type = stated ?? discriminatedType(family, declared, object) ?? declared;
  const sent: Sent = {};
  for (const [name, value] of Object.entries(object)) {
    // Control information (JSON Format 4.01, 4.6) is not the upstream's.
    if (!name.includes('@')) put(sent, memberOf(type, name, value, write));
  }
  return stated === undefined ? sent : { ...sent, ...sign(type, write), ...sent };
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

/** Sets an own member, even `__proto__`. */
function define(sent: Sent, name: string, value: unknown): void {
  Object.defineProperty(sent, name, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is Sent {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && scalarText(value) === undefined
  );
}

/** The discriminator member for an object of the type. */
function sign({ discriminator, structuralProperties }: StructuredType, write: WriteValue): object {
  const { upstreamName, value } = discriminator ?? {};
  if (upstreamName === undefined || value === undefined) return {};
  const property = [...structuralProperties.values()].find((each) => each.upstreamName === upstreamName);
  const isPrimitive = property?.type.kind === 'primitive';
  return { [upstreamName]: isPrimitive ? upstreamValue(property, value, write) : value };
}

function memberOf(type: StructuredType, name: string, value: Value, write: WriteValue): SentMember {
  const property = type.structuralProperties.get(name);
  if (property !== undefined) {
    return { path: upstreamPath(property), value: upstreamValue(property, value, write) };
  }
  const navigation = type.navigationProperties.get(name);
  if (navigation?.origin.kind !== 'embedded') return { path: [name], value: write(value) };
  const use = { type: navigation.entityType };
  return { path: upstreamPath(navigation.origin), value: upstreamValue(use, value, write) };
}

function statedType(family: readonly StructuredType[], { [TYPE]: stated }: Row): StructuredType | undefined {
  return stated === undefined ? undefined : family.find((type) => type.name === stated);
}

function discriminatedType(
  family: readonly StructuredType[],
  { discriminator, structuralProperties }: StructuredType,
  object: Row,
): StructuredType | undefined {
  if (discriminator === undefined) return undefined;
  const property = [...structuralProperties.values()].find(
    ({ upstreamName }) => upstreamName === discriminator.upstreamName,
  );
  const value = object[property?.name ?? discriminator.upstreamName];
  return byDiscriminator(family).get(value);
}

type ValueUse = Pick<TypeUse, 'type'> & Partial<Pick<StructuralProperty, 'upstreamTypes'>>;

function upstreamValue(use: ValueUse, value: Value, write: WriteValue): unknown {
  if (Array.isArray(value)) return value.map((item) => upstreamValue(use, item, write));
  const { type } = use;
  switch (type.kind) {
    case 'enumeration':
      return memberValue(type, write(value, type));
    case 'complex':
    case 'entity':
      return typeof value === 'object' && value !== null ? renamed(type, value as Row, write) : write(value);
    case 'primitive':
      return primitiveValue(type.name, jsonKind(use), write(value, type));
  }
}

/** The upstream's JSON kind of a primitive value; undefined if any is possible. */
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
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, jsonOf(value)]));
}

const exactNumber = exactNumberWriter({ ieee754Compatible: false, exponentialDecimals: false });

/** Numbers keep all of their digits. */
function exactValue(value: Value, type?: ValueType): Value {
  if (value === null) return null;
  switch (type?.name) {
    case 'Edm.Int64':
    case 'Edm.Decimal':
      return exactNumber(value);
    case 'Edm.Single':
    case 'Edm.Double':
      return doubleValue(value);
    default:
      return untypedValue(value);
  }
}
