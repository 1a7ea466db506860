import type { Row, Value } from '../../contract/entity-source.ts';
import type { Model } from '../../model/edm.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { TypeName, TypeUse } from '../../model/type-use.ts';
import type { JsonFormat } from './format.ts';
import type { EntityShape } from './json.ts';

/** Makes of a value what JSON.stringify writes as OData's JSON does. */
type ValueWriter = (value: Value) => Value;

type Shape = Pick<EntityShape, 'model' | 'entityType' | 'shown' | 'computed' | 'format'>;

/**
 * Compiles what turns rows into JSON: Int64 and Decimal with all their digits as numbers, or as strings
 * for clients whose numbers are doubles (JSON Format, 3.2 and 7.1), at every depth.
 *
 * Undefined where rows are JSON-ready as they are.
 */
export function compileRowWriter(shape: Shape): ((row: Row) => Row) | undefined {
  const types = readableProperties(shape.entityType);
  const writers = new ValueWriters(shape.model, shape.format.ieee754Compatible);
  const changes = shape.shown.flatMap((name) => {
    const computed = shape.computed.get(name);
    const use: Use | undefined =
      computed === undefined
        ? types.get(name)
        : { type: { kind: 'primitive', name: computed }, collection: false };
    const write = use && writers.of(use);
    return write === undefined ? [] : [{ name, write }];
  });
  return changes.length === 0 ? undefined : (row) => rewrite(row, changes);
}

/** Compiles what turns values of that use into JSON. */
export function compileValueWriter(model: Model, use: TypeUse, format: JsonFormat): ValueWriter {
  const write = new ValueWriters(model, format.ieee754Compatible).of(use);
  return (value) => (value === null || write === undefined ? value : write(value));
}

type Use = Pick<TypeUse, 'type' | 'collection'>;

interface Change {
  readonly name: string;
  readonly write: ValueWriter;
}

/** A row that needs no change is not copied. */
function rewrite(row: Row, changes: readonly Change[]): Row {
  let copy: Record<string, Value> | undefined;
  for (const { name, write } of changes) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    const written = write(value);
    if (written === value) continue;
    copy ??= { ...row };
    copy[name] = written;
  }
  return copy ?? row;
}

class ValueWriters {
  readonly #model: Model;
  readonly #asText: boolean;
  readonly #complex = new Map<string, ValueWriter>();

  constructor(model: Model, asText: boolean) {
    this.#model = model;
    this.#asText = asText;
  }

  of({ type, collection }: Use): ValueWriter | undefined {
    const single = this.#single(type);
    if (single === undefined || !collection) return single;
    return (items) => (items as readonly Value[]).map((item) => (item === null ? null : single(item)));
  }

  #single(type: TypeName): ValueWriter | undefined {
    switch (type.kind) {
      case 'primitive':
        return this.#primitive(type.name);
      case 'complex':
        return this.#complexWriter(type.name);
      case 'enumeration':
      case 'entity':
        return undefined;
    }
  }

  #primitive(name: string): ValueWriter | undefined {
    switch (name) {
      case 'Edm.Int64':
      case 'Edm.Decimal':
        return this.#asText ? (value) => plainDigits(String(value)) : exactNumber;
      case 'Edm.Single':
      case 'Edm.Double':
        return doubleValue;
      case 'Edm.Untyped':
        return exactWithin;
      default:
        return undefined;
    }
  }

  /** Types may refer to themselves, so that a writer is known before it is complete. */
  #complexWriter(name: string): ValueWriter {
    const known = this.#complex.get(name);
    if (known !== undefined) return known;
    const type = this.#model.complexTypes.get(name);
    const changes: Change[] = [];
    const declared: ValueWriter = (value) => rewrite(value as Row, changes);
    const writer: ValueWriter = type?.open === true ? (value) => exactWithin(declared(value)) : declared;
    this.#complex.set(name, writer);
    for (const property of type?.structuralProperties.values() ?? []) {
      const write = this.of(property);
      if (write !== undefined) changes.push({ name: property.name, write });
    }
    return writer;
  }
}

/** JSON.stringify writes what this gives as it stands; the name is not in TypeScript's library yet. */
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): Row;
  isRawJSON(value: unknown): boolean;
};

function exactNumber(value: Value): Value {
  return typeof value === 'number' ? value : rawJSON(plainDigits(String(value)));
}

/** JSON has neither a plus sign nor zeros in front (RFC 8259, section 6). */
function plainDigits(text: string): string {
  return text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
}

/** JSON Format, 7.1: what JSON has no number for is a string. */
function doubleValue(value: Value): Value {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : Number(value) > 0 ? 'INF' : '-INF';
}

/** Values of no declared type: large integers keep their digits. */
function exactWithin(value: Value): Value {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (typeof value !== 'object' || value === null || isRawJSON(value) || value instanceof Number)
    return value;
  if (Array.isArray(value)) return value.map(exactWithin);
  return Object.fromEntries(Object.entries(value as Row).map(([name, item]) => [name, exactWithin(item)]));
}
