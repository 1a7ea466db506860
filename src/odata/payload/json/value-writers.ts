import { LRUCache } from 'lru-cache';
import {
  doubleValue,
  exactNumberWriter,
  isInherited,
  type Row,
  TYPE,
  untypedValue,
  type Value,
  type ValueWriter,
} from '../../../contract/row.ts';
import {
  type ComplexType,
  isReadable,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
} from '../../../model/edm.ts';
import { madeOnce } from '../../../model/maps.ts';
import type { Model } from '../../../model/model.ts';
import { qualifiedTypeName } from '../csdl/csdl-property.ts';
import {
  controlPrefix,
  type JsonFormat,
  type ODataVersion,
  typeIn,
  untypedText,
} from '../negotiation/format.ts';
import type { JsonItems } from './json-text.ts';

type Use = Pick<TypeUse, 'type' | 'collection'>;

/** The value writers of a style, each created once. */
export class ValueWriters {
  readonly #style: JsonStyle;
  readonly #exactNumber: ValueWriter;
  readonly #complex = new Map<string, ValueWriter>();

  constructor(style: JsonStyle) {
    this.#style = style;
    this.#exactNumber = exactNumberWriter(style.format);
  }

  /** Undefined if values need no conversion. */
  of({ type, collection }: Use): ValueWriter | undefined {
    return ofItems(this.#single(type), collection);
  }

  /** The writer of a declared value, whose type may differ between versions. */
  ofDeclared(use: Use): ValueWriter | undefined {
    const isText = typeIn(this.#style.version, use.type) !== use.type;
    return isText ? ofItems(untypedText, use.collection) : this.of(use);
  }

  /** The `type` control information of a value; undefined if JSON determines it (JSON Format, 4.5.3). */
  typeOf(use: Use, value: Value): string | undefined {
    const type = this.#annotation('', use);
    return type?.isWritten?.(value) === false ? undefined : type?.reference;
  }

  /** The writer of a declared property, with its type in full metadata. */
  declared(property: StructuralProperty): MemberWriter {
    const { name } = property;
    const { format, version } = this.#style;
    const use = { ...property, type: typeIn(version, property.type) };
    const type = format.metadata === 'full' ? this.#annotation(name, use) : undefined;
    return {
      name,
      write: this.ofDeclared(property),
      type,
      count: this.#count(property),
      isOmitted: this.#omission(property),
    };
  }

  /** The writer of an undeclared property, with its type unless JSON determines it (JSON Format, 4.5.3). */
  undeclared(name: string, use: Use): MemberWriter {
    const type = this.#style.format.metadata === 'none' ? undefined : this.#annotation(name, use);
    const isOmitted = this.#style.omit === undefined ? undefined : isNull;
    return { name, write: this.of(use), type, count: undefined, isOmitted };
  }

  /** Adds the undeclared members. */
  writeDynamic(target: JsonObject, row: Row, isKnown: (name: string) => boolean): void {
    const prefix = this.#style.format.metadata === 'none' ? undefined : controlPrefix(this.#style.version);
    for (const [name, value] of Object.entries(row)) {
      if (isKnown(name) || (value === null && this.#style.omit !== undefined)) continue;
      if (typeof value === 'bigint') {
        if (prefix !== undefined) target[`${name}${prefix}type`] = this.#integerType(value);
        target[name] = this.#exactNumber(value);
      } else target[name] = untypedValue(value);
    }
  }

  /** An Edm.Int64, which is a string for IEEE754Compatible clients (JSON Format, 3.2). */
  #count({ name, collection }: StructuralProperty): MemberWriter['count'] {
    const { format, version } = this.#style;
    if (!collection || format.metadata === 'none') return undefined;
    const member = `${name}@count`;
    return { name: `${name}${controlPrefix(version)}count`, member, write: this.#exactNumber };
  }

  #integerType(value: bigint): string {
    const name = value === BigInt.asIntN(64, value) ? 'Edm.Int64' : 'Edm.Decimal';
    return typeReference(primitive(name), this.#style.version);
  }

  #annotation(name: string, use: Use): TypeAnnotation | undefined {
    const { version } = this.#style;
    if (!use.collection && isEvident(use.type)) return undefined;
    const reference = typeReference(use, version);
    const isDouble = !use.collection && use.type.name === 'Edm.Double';
    const isWritten = isDouble ? (value: Value) => !Number.isFinite(value) : undefined;
    return { name: `${name}${controlPrefix(version)}type`, reference, isWritten: isWritten };
  }

  /** Part 1, 8.2.8.6. Null is omitted only if it is the default. */
  #omission({ defaultValue }: StructuralProperty): MemberWriter['isOmitted'] {
    switch (this.#style.omit) {
      case undefined:
        return undefined;
      case 'nulls':
        return isNull;
      case 'defaults':
        return defaultValue === undefined
          ? isNull
          : (value) => value !== null && String(value) === defaultValue;
    }
  }

  #single(type: ValueType): ValueWriter | undefined {
    switch (type.kind) {
      case 'primitive':
        return this.#primitive(type.name);
      case 'complex':
        return this.#complexWriter(type);
      case 'enumeration':
      case 'entity':
        return undefined;
    }
  }

  #primitive(name: string): ValueWriter | undefined {
    switch (name) {
      case 'Edm.Int64':
      case 'Edm.Decimal':
        return this.#exactNumber;
      case 'Edm.Single':
      case 'Edm.Double':
        return doubleValue;
      case 'Edm.Untyped':
        return untypedValue;
      default:
        return undefined;
    }
  }

  /** Types may be recursive, so the writer is registered before it is complete. */
  #complexWriter(type: ComplexType): ValueWriter {
    const { name } = type;
    const known = this.#complex.get(name);
    if (known !== undefined) return known;
    let declared: ValueWriter | undefined;
    const writer: ValueWriter = (value) => {
      const own = (value as Row)[TYPE];
      if (own !== undefined && own !== name) return this.#derivedWriter(type, own)(value);
      declared ??= this.#objectWriter(type, this.#style.format.metadata === 'full');
      return declared(value);
    };
    this.#complex.set(name, writer);
    return writer;
  }

  #derivedWriter(declared: ComplexType, name: string): ValueWriter {
    const key = `derived ${name}`;
    const type = declared.derived.find((each) => each.name === name) ?? declared;
    return madeOnce(this.#complex, key, () =>
      this.#objectWriter(type, this.#style.format.metadata !== 'none'),
    );
  }

  #objectWriter(type: ComplexType, isTypeShown: boolean): ValueWriter {
    const properties = [...type.structuralProperties.values()].filter(isReadable);
    const members = properties.map((property) => this.declared(property));
    const rebuild = this.#rebuilder(members, type, isTypeShown);
    const hasMore = type.open || type.navigationProperties.size > 0;
    if (isTypeShown || hasMore || !members.every(isPlain)) return rebuild;
    const changed = members.filter(({ write }) => write !== undefined);
    const counts = members.flatMap(({ count }) => (count === undefined ? [] : [count.member]));
    if (counts.length === 0) return (value) => rewrite(value as Row, changed);
    return (value) =>
      counts.some((count) => count in (value as Row)) ? rebuild(value) : rewrite(value as Row, changed);
  }

  #rebuilder(members: readonly MemberWriter[], type: ComplexType, isTypeShown: boolean): ValueWriter {
    const { version } = this.#style;
    const reference = typeReference({ type, collection: false }, version);
    const header = `${controlPrefix(version)}type`;
    const isOpen = type.open;
    const known = new Set([
      ...members.flatMap((member) => [member.name, member.count?.member ?? member.name]),
      ...type.navigationProperties.keys(),
    ]);
    const template = templateOf({
      ...(isTypeShown && { [header]: reference }),
      ...memberTemplate(members),
    });
    const write = compileMembers(members, 'partial');
    return (value) => {
      const target: JsonObject = { ...template };
      write(target, value as Row);
      if (isOpen) this.writeDynamic(target, value as Row, (member) => known.has(member));
      return target as Row;
    };
  }
}

function ofItems(single: ValueWriter | undefined, collection: boolean): ValueWriter | undefined {
  if (single === undefined || !collection) return single;
  return (items) => (items as readonly Value[]).map((item) => (item === null ? null : single(item)));
}

export function isNull(value: Value): boolean {
  return value === null;
}

function primitive(name: 'Edm.Int64' | 'Edm.Decimal'): Use {
  return { type: { kind: 'primitive', name }, collection: false };
}

/** Whether JSON determines the type of a value. */
function isEvident({ kind, name }: ValueType): boolean {
  if (kind === 'complex' || kind === 'entity') return true;
  return name === 'Edm.String' || name === 'Edm.Boolean' || name === 'Edm.Untyped';
}

/** Sets the members of a row in a copy of their template. */
type WriteMembers = (target: JsonObject, row: Row) => void;

/**
 * Compiles the setting of members. `complete`: missing members become null; otherwise they are omitted.
 *
 * Values without a conversion are set by generated code: V8 optimizes each generated function for the shape
 * of its rows, while one function for all types would look up members by name, at five times the cost.
 */
export function compileMembers(
  members: readonly MemberWriter[],
  completeness: 'complete' | 'partial',
): WriteMembers {
  const whole = completeness === 'complete';
  const source = members.map((member, index) => statements(member, index, whole)).join('\n');
  const writers = members.map((member): WriteMembers => {
    const { name } = member;
    if (isInherited(name)) {
      const absent = whole ? null : undefined;
      return (target, row) => writeMember(target, row, member, Object.hasOwn(row, name) ? row[name] : absent);
    }
    return (target, row) => writeMember(target, row, member, whole ? (row[name] ?? null) : row[name]);
  });
  return generatorOf(source)(writers);
}

/** Names are JSON strings, which are JavaScript strings: they are never executed. */
function statements({ name, write, type, count, isOmitted }: MemberWriter, index: number, whole: boolean) {
  const isHandedOn = [write, count, isOmitted, type?.isWritten].every((each) => each === undefined);
  if (!isHandedOn || isInherited(name)) return `writers[${index}](target, row);`;
  const value = `value${index}`;
  const member = JSON.stringify(name);
  return `
    const ${value} = row[${member}]${whole ? ' ?? null' : ''};
    target[${member}] = ${value};
    ${type === undefined ? '' : `if ((${value} ?? null) === null) target[${JSON.stringify(type.name)}] = undefined;`}`;
}

type WriterGenerator = (writers: readonly WriteMembers[]) => WriteMembers;

const GENERATORS_KEPT = 500;
/**
 * The generated functions by source, shared by queries with equal members so that V8's optimizations are
 * shared.
 */
const GENERATORS = new LRUCache<string, WriterGenerator>({ max: GENERATORS_KEPT });

function generatorOf(source: string): WriterGenerator {
  const make = () => new Function('writers', `return (target, row) => {${source}};`) as WriterGenerator;
  return madeOnce(GENERATORS, source, make);
}

/** Writes one property of a structured value. */
export interface MemberWriter {
  readonly name: string;
  /** Undefined if values need no conversion. */
  readonly write: ValueWriter | undefined;
  /** Control information before the value: its name and content. */
  readonly type: TypeAnnotation | undefined;
  /** The `count` control information of a collection that is shown in part; in the row as `name@count`. */
  readonly count: CountAnnotation | undefined;
  readonly isOmitted: ((value: Value) => boolean) | undefined;
}

interface TypeAnnotation {
  readonly name: string;
  readonly reference: string;
  /** Undefined if the type is written for every non-null value. */
  readonly isWritten: ((value: Value) => boolean) | undefined;
}

interface CountAnnotation {
  readonly name: string;
  readonly member: string;
  readonly write: ValueWriter;
}

/** JSON.stringify omits undefined members. */
export type JsonObject = Record<string, Value | JsonItems<Row> | undefined>;

/** Whether only the value needs conversion, without additional or omitted members. */
export function isPlain({ name, type, isOmitted }: MemberWriter): boolean {
  return type === undefined && isOmitted === undefined && !isInherited(name);
}

/**
 * A template with all members in order, and common values. Copying it and setting the rest is faster than
 * adding members one by one.
 *
 * V8 uses a slow dictionary for an object with many members added by name, but not for the result of
 * JSON.parse.
 */
export function templateOf(members: Readonly<JsonObject>): Readonly<JsonObject> {
  const text = JSON.stringify(members, (_, value: unknown) => value ?? null);
  return Object.assign(JSON.parse(text), members);
}

/** The members' part of a template. */
export function memberTemplate(members: readonly MemberWriter[]): Readonly<JsonObject> {
  const template: JsonObject = Object.create(null);
  for (const { name, type, count } of members) {
    if (type !== undefined) template[type.name] = type.reference;
    if (count !== undefined) template[count.name] = undefined;
    template[name] = undefined;
  }
  return template;
}

/** Copies the value only if something changes. */
export function rewrite(row: Row, members: readonly MemberWriter[]): Row {
  let copy: Record<string, Value> | undefined;
  for (const { name, write } of members) {
    const value = row[name];
    if (write === undefined || value === null || value === undefined) continue;
    const written = write(value);
    if (written === value) continue;
    copy ??= { ...row };
    copy[name] = written;
  }
  return copy ?? row;
}

/** Sets one member in a copy of its template; undefined values are omitted. */
function writeMember(
  target: JsonObject,
  row: Row,
  { name, write, type, count, isOmitted }: MemberWriter,
  value: Value | undefined,
): void {
  const isLeftOut = value === undefined || isOmitted?.(value) === true;
  if (type !== undefined && (isLeftOut || value === null || type.isWritten?.(value) === false))
    target[type.name] = undefined;
  if (isLeftOut) return;
  if (count !== undefined) writeCount(target, row, count);
  target[name] = write === undefined || value === null ? value : write(value);
}

function writeCount(target: JsonObject, row: Row, { name, member, write }: CountAnnotation): void {
  const count = row[member];
  if (count !== undefined) target[name] = write(count);
}

/** The value of the control information `type` (JSON Format, 4.5.3). */
export function typeReference(
  { type, collection }: Pick<TypeUse, 'type' | 'collection'>,
  version: ODataVersion,
): string {
  const isBuiltIn = type.kind === 'primitive';
  const name = isBuiltIn ? type.name.slice('Edm.'.length) : qualifiedTypeName(type);
  // In 4.01, built-in types have no hash sign.
  const hash = isBuiltIn && version === '4.01' ? '' : '#';
  return hash + (collection ? `Collection(${name})` : name);
}

/** The settings of JSON values. */
export interface JsonStyle {
  readonly model: Model;
  readonly format: JsonFormat;
  readonly version: ODataVersion;
  /** The preference `omit-values` (Part 1, 8.2.8.6). */
  readonly omit?: 'nulls' | 'defaults' | undefined;
  /** The part of the model that the principal may see, for links; undefined for all of it. */
  readonly told?: Model | undefined;
}
