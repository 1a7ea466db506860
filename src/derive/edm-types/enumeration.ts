import type { EnumerationMember, EnumerationType } from '../../model/edm.ts';
import { freeName, isModelName } from '../../model/names.ts';
import {
  type DocumentNode,
  isTrue,
  member,
  members,
  prose,
  text,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import {
  componentName,
  isArraySchema,
  itemNode,
  jsonTypes,
  keyword,
  type Schema,
  setting,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';

/**
 * Whether the values are those of an enumeration type (CSDL 4.01, 10): strings by convention, numbers if
 * `x-odata.members` names them. `x-odata.enum: false` and `x-odata.type` disable the enumeration.
 *
 * If a document is not strict, responses may have values that it does not list and that have no member name:
 * strings then stay strings, unless `x-odata` declares an enumeration.
 */
export function isEnumeration(source: DocumentSource, schema: Schema): boolean {
  const isDenied = setting(schema, 'enum')?.value === false;
  if (isDenied && enumValues(schema).length > 0) markUsed(source, schema, ['enum']);
  if (isDenied || setting(schema, 'type') !== undefined) return false;
  if (keyword(schema, 'const') !== undefined && keyword(schema, 'enum') === undefined) return false;
  const values = enumValues(schema);
  const [type] = jsonTypes(schema);
  if (type === 'string' && !source.strict && !isNamed(schema)) return false;
  if (type === 'string') return values.length > 0 && values.every(({ value }) => typeof value === 'string');
  return type === 'integer' && setting(schema, 'members') !== undefined;
}

/**
 * The item schema of an array of flags, with the keywords of the array, if `x-odata.flags` is true and the
 * items are enumerated.
 */
export function listedFlags({ source, read }: Derivation, schema: Schema): Schema | undefined {
  if (!isArraySchema(schema) || !isTrue(setting(schema, 'flags'))) return undefined;
  const node = itemNode(schema);
  const item = node && read(node);
  if (item === undefined || item.hidden) return undefined;
  const words = schema.layers.map(({ pointer, value }) => ({ pointer, value: wordsOf({ pointer, value }) }));
  const { identity, nullable } = schema;
  const flags: Schema = { ...item, identity, nullable, layers: [...words, ...item.layers] };
  return isEnumeration(source, flags) ? flags : undefined;
}

/** The part of an array's schema that is about its whole value. */
function wordsOf(layer: DocumentNode): object {
  const names = ['x-odata', 'description', 'default'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = member(layer, name);
      return found === undefined ? [] : [[name, found.value]];
    }),
  );
}

/** Whether `x-odata` speaks of the enumeration type. */
function isNamed(schema: Schema): boolean {
  return ['enum', 'members', 'flags'].some((key) => setting(schema, key) !== undefined);
}

/** The values that are allowed beside null. */
function enumValues(schema: Schema): readonly DocumentNode[] {
  return valueNodes(schema).filter(({ value }) => value !== null);
}

/** The name that `x-odata.enum` gives the type. */
export function enumerationName(schema: Schema): string | undefined {
  const name = text(setting(schema, 'enum'));
  return name !== undefined && isModelName(name) ? name : undefined;
}

/**
 * The identity of an enumeration: its component, or, for inline enumerations of equally named properties, its
 * values.
 */
export function enumerationIdentity(schema: Schema, listed: boolean): string {
  if (componentName(schema) !== undefined || setting(schema, 'enum') !== undefined) return schema.identity;
  const property = schema.identity
    .replace(/\/items$/, '')
    .split('/')
    .at(-1);
  return `${listed ? 'flags' : 'enum'} ${property} ${JSON.stringify(enumValues(schema).map(({ value }) => value))}`;
}

export function enumerationType(
  derivation: Derivation,
  schema: Schema,
  name: string,
  listed: boolean,
): EnumerationType {
  const members = enumerationMembers(derivation, schema);
  return {
    namespace: derivation.namespace,
    name,
    description: prose(keyword(schema, 'description')),
    kind: 'enumeration',
    flags: isTrue(setting(schema, 'flags')),
    ...(listed && { listed }),
    members: listed ? withNone(members) : members,
  };
}

/** A list of flags may be empty, so that one of the members has the value 0. */
function withNone(members: readonly EnumerationMember[]): readonly EnumerationMember[] {
  if (members.some(({ value }) => value === 0)) return members;
  const name = freeName('None', new Set(members.map((each) => each.name)));
  return [{ name, value: 0, upstreamValue: undefined }, ...members];
}

/** The members by their upstream values. */
export function enumerationMembers(derivation: Derivation, schema: Schema): readonly EnumerationMember[] {
  return jsonTypes(schema)[0] === 'integer'
    ? numberMembers(derivation, schema)
    : textMembers(derivation, schema, isTrue(setting(schema, 'flags')));
}

/** The names that `x-odata.members` gives to numbers. */
function numberMembers({ source }: Derivation, schema: Schema): readonly EnumerationMember[] {
  return members(setting(schema, 'members')).flatMap(([name, node]) => {
    const { value } = node;
    if (isModelName(name) && typeof value === 'number' && Number.isSafeInteger(value)) {
      return { name, value, upstreamValue: value };
    }
    source.report(
      'error',
      node.pointer,
      `A member has a name and an integer, ${quote(name)} has ${quote(value)}`,
    );
    return [];
  });
}

/** The string members in document order, numbered from 0, or with powers of 2 for flags. */
function textMembers({ source }: Derivation, schema: Schema, flags: boolean): readonly EnumerationMember[] {
  const taken = new Set<string>();
  const declared = members(setting(schema, 'members'));
  for (const [name, node] of declared) {
    if (!isModelName(name)) source.report('error', node.pointer, `${quote(name)} is not a name of a member`);
  }
  return enumValues(schema).map((node, index) => {
    const upstreamValue = String(node.value);
    const given = declared.find(
      ([name, { value }]) => isModelName(name) && (value === upstreamValue || name === upstreamValue),
    );
    const name = freeName(given?.[0] ?? memberName(upstreamValue), taken);
    taken.add(name);
    if (given === undefined && name !== upstreamValue) {
      source.report('info', node.pointer, `The member ${quote(upstreamValue)} is named ${name}`);
    }
    const number = given?.[1].value;
    return { name, value: typeof number === 'number' ? number : defaultNumber(index, flags), upstreamValue };
  });
}

function defaultNumber(index: number, flags: boolean): number {
  return flags ? 2 ** index : index;
}

/** The text with `_` for each character that an identifier cannot have. */
function memberName(value: string): string {
  if (isModelName(value)) return value;
  const replaced = value
    .normalize('NFC')
    .replace(/[^\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}_]/gu, '_')
    .slice(0, 120);
  const started = /^[\p{L}\p{Nl}_]/u.test(replaced) ? replaced : `_${replaced}`;
  return isModelName(started) ? started : `_${started}`;
}
