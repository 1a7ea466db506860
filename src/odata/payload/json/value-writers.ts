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

/** The writers of one style, each made once. */
export class ValueWriters {
  readonly #style: JsonStyle;
  readonly #exactNumber: ValueWriter;
  readonly #complex = new Map<string, ValueWriter>();

  constructor(style: JsonStyle) {
    this.#style = style;
    this.#exactNumber = exactNumberWriter(style.format);
  }

  /** Undefined where values are JSON-ready as they are. */
  of({ type, collection }: Use): ValueWriter | undefined {
    return ofItems(this.#single(type), collection);
  }

  /** The writer of values that the metadata document declares: the version may have another type for them. */
  ofDeclared(use: Use): ValueWriter | undefined {
    const isText = typeIn(this.#style.version, use.type) !== use.type;
    return isText ? ofItems(untypedText, use.collection) : this.of(use);
  }

  /** The control information `type` of a value by itself; undefined where JSON tells it (JSON Format, 4.5.3). */
  typeOf(use: Use, value: Value): string | undefined {
    const type = this.#annotation('', use);
    return type?.isSaid?.(value) === false ? undefined : type?.reference;
  }

  /** A declared property. Its type is said where the format asks for all of them. */
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

  /** A property that the metadata document does not have: its type is said unless JSON can tell (JSON Format, 4.5.3). */
  undeclared(name: string, use: Use): MemberWriter {
    const type = this.#style.format.metadata === 'none' ? undefined : this.#annotation(name, use);
    const isOmitted = this.#style.omit === undefined ? undefined : isNull;
    return { name, write: this.of(use), type, count: undefined, isOmitted };
  }

  /** Adds the members that the type does not declare. */
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

  /** Edm.Int64, and thus a string where numbers have to be doubles (JSON Format, 3.2). */
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
    const isSaid = isDouble ? (value: Value) => !Number.isFinite(value) : undefined;
    return { name: `${name}${controlPrefix(version)}type`, reference, isSaid };
  }

  /** Part 1, 8.2.8.6. Null is left out unless it stands for something else than the default. */
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

  /** Types may refer to themselves, so that a writer is known before it is complete. */
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

/** What JSON itself tells of a value's type, or what the value says within. */
function isEvident({ kind, name }: ValueType): boolean {
  if (kind === 'complex' || kind === 'entity') return true;
  return name === 'Edm.String' || name === 'Edm.Boolean' || name === 'Edm.Untyped';
}

/** Sets the members of a row in a copy of their template. */
type WriteMembers = (target: JsonObject, row: Row) => void;

/**
 * Compiles the setting of members. `complete`: what a row does not have is null; else it is left out, as of a
 * complex value of which a part is shown.
 *
 * What only has to be handed on is set by a function from source text: V8 learns which shapes a function meets,
 * and one for all rows of all types would look every member up by its name, at five times the cost.
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

/** Names are in strings of JSON, which are strings of JavaScript: they are never code. */
function statements({ name, write, type, count, isOmitted }: MemberWriter, index: number, whole: boolean) {
  const isHandedOn = [write, count, isOmitted, type?.isSaid].every((each) => each === undefined);
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
/** The generators by their source: queries that differ in nothing else share what V8 has learned. */
const GENERATORS = new LRUCache<string, WriterGenerator>({ max: GENERATORS_KEPT });

function generatorOf(source: string): WriterGenerator {
  const make = () => new Function('writers', `return (target, row) => {${source}};`) as WriterGenerator;
  return madeOnce(GENERATORS, source, make);
}

/** How one property of a structured value is written. */
export interface MemberWriter {
  readonly name: string;
  /** Undefined where values are JSON-ready. */
  readonly write: ValueWriter | undefined;
  /** Control information before the value: its name, and what it says of a value if anything. */
  readonly type: TypeAnnotation | undefined;
  /** The control information `count` of a collection of which a part is shown; the row has it under `name@count`. */
  readonly count: CountAnnotation | undefined;
  readonly isOmitted: ((value: Value) => boolean) | undefined;
}

interface TypeAnnotation {
  readonly name: string;
  readonly reference: string;
  /** Undefined where it is said of every value; null has no type. */
  readonly isSaid: ((value: Value) => boolean) | undefined;
}

interface CountAnnotation {
  readonly name: string;
  readonly member: string;
  readonly write: ValueWriter;
}

/** JSON.stringify leaves out what is undefined. */
export type JsonObject = Record<string, Value | JsonItems<Row> | undefined>;

/** Whether a value needs nothing but changes within: no members more, none less. */
export function isPlain({ name, type, isOmitted }: MemberWriter): boolean {
  return type === undefined && isOmitted === undefined && !isInherited(name);
}

/**
 * What objects begin as: all members that there may be, in their order, with what is the same in most. To
 * copy that and to set the rest is cheaper than to add one member after the other.
 *
 * V8 makes a slow dictionary of an object to which many members are added by name, but not of what JSON.parse
 * returns.
 */
export function templateOf(members: Readonly<JsonObject>): Readonly<JsonObject> {
  const text = JSON.stringify(members, (_, value: unknown) => value ?? null);
  return Object.assign(JSON.parse(text), members);
}

/** What the members' part of a template holds. */
export function memberTemplate(members: readonly MemberWriter[]): Readonly<JsonObject> {
  const template: JsonObject = Object.create(null);
  for (const { name, type, count } of members) {
    if (type !== undefined) template[type.name] = type.reference;
    if (count !== undefined) template[count.name] = undefined;
    template[name] = undefined;
  }
  return template;
}

/** A value that needs no change is not copied. */
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

/** Sets one member in a copy of its template; an undefined value is left out. */
function writeMember(
  target: JsonObject,
  row: Row,
  { name, write, type, count, isOmitted }: MemberWriter,
  value: Value | undefined,
): void {
  const isLeftOut = value === undefined || isOmitted?.(value) === true;
  if (type !== undefined && (isLeftOut || value === null || type.isSaid?.(value) === false))
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
  // 4.01 writes built-in types without the hash sign.
  const hash = isBuiltIn && version === '4.01' ? '' : '#';
  return hash + (collection ? `Collection(${name})` : name);
}

/** What decides how values look in JSON, whatever they belong to. */
export interface JsonStyle {
  readonly model: Model;
  readonly format: JsonFormat;
  readonly version: ODataVersion;
  /** The preference `omit-values` (Part 1, 8.2.8.6): which properties may be left out. */
  readonly omit?: 'nulls' | 'defaults' | undefined;
  /** What of the model links may name: what whoever asks may know of. Undefined for all of it. */
  readonly told?: Model | undefined;
}
