import {
  doubleValue,
  exactNumberWriter,
  untypedValue,
  type ValueWriter,
} from '../../../contract/exact-number.ts';
import { type Row, TYPE, type Value } from '../../../contract/row.ts';
import type { ComplexType, StructuralProperty, TypeUse, ValueType } from '../../../model/edm.ts';
import { isReadable } from '../../../model/readable-property.ts';
import { typeIn, untypedText } from '../negotiation/untyped-text.ts';
import { compileMembers } from './compile-members.ts';
import { controlPrefix, typeReference } from './control-information.ts';
import type { JsonStyle } from './json-style.ts';
import {
  isPlain,
  type JsonObject,
  type MemberWriter,
  memberTemplate,
  rewrite,
  type TypeAnnotation,
  templateOf,
} from './member-writer.ts';

type Use = Pick<TypeUse, 'type' | 'collection'>;

/** The writers of one style, each made once. */
export class ValueWriters {
  readonly #style: JsonStyle;
  readonly #exactNumber: ValueWriter;
  readonly #complex = new Map<string, ValueWriter | undefined>();

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
    const writer = this.#complex.get(key) ?? this.#objectWriter(type, this.#style.format.metadata !== 'none');
    this.#complex.set(key, writer);
    return writer;
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

function isNull(value: Value): boolean {
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
