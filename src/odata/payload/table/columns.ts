import type { Row } from '../../../contract/row.ts';
import {
  type ComplexType,
  isReadable,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
  withDerivedTypes,
} from '../../../model/edm.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../../model/type-use.ts';
import type { EntityContent, Expansion, WithinContent } from '../json/entity-content.ts';
import type { EntityShape } from '../json/json.ts';
import { controlPrefix } from '../negotiation/format.ts';

/** A column of a table. */
export interface Column {
  /** The header, such as `Author/Name`. */
  readonly name: string;
  /** The path of its values in the written entity. */
  readonly path: readonly string[];
  /** The primitive type of its values, Edm.String for enumerations; undefined for JSON. */
  readonly type: ColumnType | undefined;
  /** The number of decimals of its numbers; undefined if that varies. */
  readonly scale?: number | undefined;
}

type ColumnType = PrimitiveTypeName | OpaqueTypeName;

type Found = Pick<Column, 'path' | 'type' | 'scale'>;

type Use = Pick<TypeUse, 'type' | 'collection'> & Partial<Pick<TypeUse, 'facets'>>;

/**
 * The columns of entities: complex properties and single related entities have one per property. Undeclared
 * properties are collected from the rows.
 */
export function columnsOf(shape: EntityShape, rows: readonly Row[]): readonly Column[] {
  const prefix = controlPrefix(shape.version);
  return foundColumns(shape, rows).map(({ path, ...found }) => ({
    ...found,
    name: path.join('/'),
    path: path.map((name) => name.replace(/@(?=count$)/, prefix)),
  }));
}

/** The value of a column in an entity, if any. */
export function valueAt(entity: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, name)
        ? (found as Record<string, unknown>)[name]
        : undefined,
    entity,
  );
}

function foundColumns(content: EntityContent, rows: readonly Row[]): readonly Found[] {
  const declared = contentColumns(content, []);
  if (content.dynamic !== true) return declared;
  const known = new Set(declared.flatMap(({ path: [first] }) => first ?? []));
  const types = withDerivedTypes(content.entityType);
  const isUndeclared = (name: string) =>
    !known.has(name) &&
    !/[ @]/.test(name) &&
    types.every((type) => !type.structuralProperties.has(name) && !type.navigationProperties.has(name));
  const found = new Set(rows.flatMap((row) => Object.keys(row).filter(isUndeclared)));
  return [...declared, ...[...found].map((name) => ({ path: [name], type: 'Edm.Untyped' as const }))];
}

function contentColumns(content: EntityContent, before: readonly string[]): readonly Found[] {
  const { entityType, shown, computed, expanded, within } = content;
  const types = withDerivedTypes(entityType);
  const own = shown.flatMap((name) => {
    const declared = types.find(({ structuralProperties }) => structuralProperties.has(name));
    const use = computed.get(name) ?? declared?.structuralProperties.get(name);
    return use === undefined ? [] : valueColumns(use, [...before, name], within?.get(name), new Set());
  });
  return [...own, ...expandedColumns(expanded, before)];
}

/** A complex value has a column per property; collections and recursive types have one with JSON. */
function valueColumns(
  { type, collection, facets }: Use,
  path: readonly string[],
  within: WithinContent | undefined,
  above: ReadonlySet<ComplexType>,
): readonly Found[] {
  if (type.kind !== 'complex' || collection || type.open || above.has(type)) {
    const scale = collection ? undefined : facets?.scale;
    return [{ path, type: columnType(type, collection), ...(typeof scale === 'number' && { scale }) }];
  }
  const inside = new Set([...above, type]);
  const own = propertiesOf(type).flatMap((property) =>
    valueColumns(property, [...path, property.name], within?.within?.get(property.name), inside),
  );
  return [...own, ...expandedColumns(within?.expanded, path)];
}

function columnType(type: ValueType, collection: boolean): ColumnType | undefined {
  if (type.name === 'Edm.Untyped') return type.name;
  if (collection) return undefined;
  if (type.kind === 'enumeration') return 'Edm.String';
  return type.kind === 'primitive' ? type.name : undefined;
}

function expandedColumns(
  expanded: ReadonlyMap<string, Expansion> | undefined,
  before: readonly string[],
): readonly Found[] {
  return [...(expanded ?? [])].flatMap(([name, expansion]) => {
    const path = [...before, name];
    if (expansion.countOnly === true)
      return [{ path: [...before, `${name}@count`], type: 'Edm.Int64' as const }];
    if (expansion.collection || expansion.referencesOnly === true) return [{ path, type: undefined }];
    return contentColumns(expansion, path);
  });
}

function propertiesOf(type: ComplexType): readonly StructuralProperty[] {
  const all = withDerivedTypes(type).flatMap(({ structuralProperties }) => [
    ...structuralProperties.values(),
  ]);
  return [...new Map(all.filter(isReadable).map((property) => [property.name, property])).values()];
}
