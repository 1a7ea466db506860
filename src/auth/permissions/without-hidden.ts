import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import type { StructuredType, TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';

/** Leaves out of what was read by the model what another one, of the same types, does not have for reading. */
export class WithoutHidden {
  readonly #model: Model;
  readonly #readable: Model;

  constructor(model: Model, readable: Model) {
    this.#model = model;
    this.#readable = readable;
  }

  rows(entityType: string, rows: Rows): Rows {
    const shown = (row: Row): Row => this.row(entityType, row);
    return { length: rows.length, [Symbol.iterator]: () => Iterator.from(rows).map(shown) };
  }

  value({ type }: Pick<TypeUse, 'type'>, value: Value): Value {
    if (type.kind !== 'complex' && type.kind !== 'entity') return value;
    if (isList(value)) return value.map((item) => this.value({ type }, item));
    return isRow(value) ? this.row(type.name, value) : value;
  }

  row(declared: string, row: Row): Row {
    const name = row[TYPE] ?? declared;
    const type = structure(this.#model, name);
    const readable = structure(this.#readable, name);
    if (type === undefined || readable === undefined) return row;
    const members = Object.entries(row).flatMap(([member, value]) =>
      isShown(type, readable, member) ? [[member, this.#member(type, member, value)] as const] : [],
    );
    return Object.assign(Object.fromEntries(members), signs(row));
  }

  #member({ structuralProperties, navigationProperties }: StructuredType, name: string, value: Value): Value {
    const property = structuralProperties.get(name);
    if (property !== undefined) return this.value(property, value);
    const related = navigationProperties.get(name)?.entityType;
    return related === undefined ? value : this.value({ type: related }, value);
  }
}

function isShown(type: StructuredType, readable: StructuredType, name: string): boolean {
  const property = readable.structuralProperties.get(name);
  if (property !== undefined) return property.writeOnly === type.structuralProperties.get(name)?.writeOnly;
  if (!type.navigationProperties.has(name)) return readable.open === type.open;
  return (
    readable.navigationProperties.get(name)?.unreadable !== true && readable.navigationProperties.has(name)
  );
}

/** What a row says of itself and no JSON shows. */
function signs(row: Row): object {
  return Object.fromEntries(
    Object.getOwnPropertySymbols(row).map((sign) => [sign, Reflect.get(row, sign)] as const),
  );
}

function structure({ entityTypes, complexTypes }: Model, name: string): StructuredType | undefined {
  return entityTypes.get(name) ?? complexTypes.get(name);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isRow(value: Value): value is Row {
  return typeof value === 'object' && value !== null;
}
