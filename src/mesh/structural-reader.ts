import type { Row, Value } from '../contract/entity-source.ts';
import type { Model } from '../model/edm.ts';
import { isReadable } from '../model/readable-property.ts';
import type { EnumerationType, StructuralProperty } from '../model/structured-type.ts';
import type { TypeName } from '../model/type-use.ts';
import { type Conversion, conversionTo } from './edm-values.ts';
import { ExactNumber } from './exact-number.ts';
import type { RowReader } from './row-reader.ts';
import { badResponse } from './upstream-failure.ts';

/**
 * Compiles what makes a row, values of any type included, of an object as the upstream sent it.
 *
 * Each value is converted by its type at every depth into a new one: the object is shared. A type may
 * refer to itself; the data's own depth is the bound.
 */
export function compileStructuralReader(model: Model, properties: readonly StructuralProperty[]): RowReader {
  const read = new StructuralCompiler(model).object(properties);
  return (object, index) => read(object, index === undefined ? '' : `[${index}]`);
}

type Members = Readonly<Record<string, unknown>>;
type ObjectReader = (object: Members, place: string) => Row;
type ValueReader = (value: unknown, place: string) => Value;

class StructuralCompiler {
  readonly #model: Model;
  readonly #complex = new Map<string, ValueReader>();

  constructor(model: Model) {
    this.#model = model;
  }

  object(properties: readonly StructuralProperty[]): ObjectReader {
    const members = properties.map((property) => ({ ...property, read: this.#property(property) }));
    return (object, place) => {
      const row: Record<string, Value> = {};
      for (const { name, upstreamName, read } of members) {
        // What is inherited from Object.prototype is not the upstream's.
        const value = Object.hasOwn(object, upstreamName) ? object[upstreamName] : null;
        row[name] = read(value, `${place}.${name}`);
      }
      return row;
    };
  }

  #property({ type, collection }: StructuralProperty): ValueReader {
    const single = orNull(this.#single(type));
    return collection ? items(single) : single;
  }

  #single(type: TypeName): ValueReader {
    switch (type.kind) {
      case 'primitive':
        return primitive(type.name);
      case 'enumeration':
        return converting(type.name, enumeration(this.#model.enumerationTypes.get(type.name)));
      case 'complex':
        return this.#complexValue(type.name);
      case 'entity':
        return () => null;
    }
  }

  /** Types may refer to themselves, so that a reader is known before it is complete. */
  #complexValue(name: string): ValueReader {
    const known = this.#complex.get(name);
    if (known !== undefined) return known;
    let read: ObjectReader | undefined;
    const reader: ValueReader = (value, place) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw mismatch(place, name, value);
      }
      read ??= this.#complexObject(name);
      return read(value as Members, place);
    };
    this.#complex.set(name, reader);
    return reader;
  }

  #complexObject(name: string): ObjectReader {
    const type = this.#model.complexTypes.get(name);
    const properties = [...(type?.structuralProperties.values() ?? [])];
    const read = this.object(properties.filter(isReadable));
    return type?.open === true
      ? withUndeclared(read, new Set(properties.map(({ upstreamName }) => upstreamName)))
      : read;
  }
}

/** OData JSON Format 4.01, section 7: a collection is never null. */
function items(read: ValueReader): ValueReader {
  return (value, place) => {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw mismatch(place, 'a collection', value);
    return value.map((item, index) => read(item, `${place}[${index}]`));
  };
}

function orNull(read: ValueReader): ValueReader {
  return (value, place) => (value === null || value === undefined ? null : read(value, place));
}

function primitive(name: Extract<TypeName, { kind: 'primitive' }>['name']): ValueReader {
  if (name === 'Edm.Stream' || name === 'Edm.Untyped' || name.startsWith('Edm.Geography')) return untyped;
  const type = name as Parameters<typeof conversionTo>[0];
  // Nothing is taken for checked: the property may have no field of its own in the mesh.
  return converting(name, conversionTo(type, 'JSON') ?? untyped);
}

function untyped(value: unknown): Value {
  return value as Value;
}

function converting(type: string, convert: Conversion): ValueReader {
  return (value, place) => {
    const result = convert(value instanceof ExactNumber ? exactValue(type, value) : value);
    if (result === undefined) throw mismatch(place, type, value);
    return result;
  };
}

/** The digits where the type can hold them, else the nearest double. */
function exactValue(type: string, number: ExactNumber): unknown {
  const holds = type === 'Edm.Decimal' || type === 'Edm.Int64' || type === 'Edm.String';
  return holds ? number.text : number.valueOf();
}

/** The upstream's values by the names of the members; flags also in a list or as a sum. */
function enumeration(type: EnumerationType | undefined): Conversion {
  const members = type?.members ?? [];
  const names = new Map<unknown, string>(members.map(({ upstreamValue, name }) => [upstreamValue, name]));
  return (value) => {
    const name = names.get(value);
    if (name !== undefined || type?.flags !== true) return name;
    const parts =
      typeof value === 'string'
        ? value.split(',').map((part) => names.get(part.trim()))
        : members.filter(({ value: bit }) => bit !== 0 && (Number(value) & bit) === bit).map((m) => m.name);
    return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(',');
  };
}

/** CSDL 4.01, 15.2: what may be the name of a dynamic property. */
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

/** Values of an open type show what the upstream has beside the declared properties (CSDL 4.01, 9.3). */
function withUndeclared(read: ObjectReader, declared: ReadonlySet<string>): ObjectReader {
  return (object, place) => {
    const row: Record<string, Value> = { ...read(object, place) };
    for (const [name, value] of Object.entries(object)) {
      const isNew = !declared.has(name) && !(name in row) && IDENTIFIER.test(name);
      if (isNew) row[name] = untyped(value);
    }
    return row;
  };
}

function mismatch(place: string, type: string, value: unknown) {
  return badResponse(`${place}: expected a value of ${type}, found a ${typeof value}`);
}
