import type { Row } from '../../../contract/row.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import { isReadable } from '../../../model/readable-property.ts';
import type { ComplexType, StructuralProperty, StructuredType } from '../../../model/structured-type.ts';
import type { TypeUse } from '../../../model/type-use.ts';
import type { EntityContent, Expansion, WithinContent } from '../json/entity-content.ts';

/** A column of a list: where its values stand in what is written of an entity, such as `Author/Name`. */
export interface Column {
  readonly path: readonly string[];
  /** Values are texts, which may be anything. */
  readonly isText: boolean;
}

type Use = Pick<TypeUse, 'type' | 'collection'>;

/** Shown properties that no type declares are found in the rows. */
export function columnsOf(model: Model, content: EntityContent, rows: readonly Row[]): readonly Column[] {
  const declared = contentColumns(model, content, []);
  if (content.dynamic !== true) return declared;
  const known = new Set(declared.flatMap(({ path: [first] }) => first ?? []));
  const types = familyOf(model, content.entityType);
  const isUndeclared = (name: string) =>
    !known.has(name) &&
    !/[ @]/.test(name) &&
    types.every((type) => !type.structuralProperties.has(name) && !type.navigationProperties.has(name));
  const found = new Set(rows.flatMap((row) => Object.keys(row).filter(isUndeclared)));
  return [...declared, ...[...found].map((name) => ({ path: [name], isText: true }))];
}

function contentColumns(model: Model, content: EntityContent, before: readonly string[]): readonly Column[] {
  const { entityType, shown, computed, expanded, within } = content;
  const types = familyOf(model, entityType);
  const own = shown.flatMap((name) => {
    const use = computed.get(name) ?? first(types, (type) => type.structuralProperties.get(name));
    return use === undefined ? [] : valueColumns(model, use, [...before, name], within?.get(name), new Set());
  });
  return [...own, ...expandedColumns(model, expanded, before)];
}

/** A complex value has a column for each of its properties; what may be many, or as deep as it likes, is in one as JSON. */
function valueColumns(
  model: Model,
  { type, collection }: Use,
  path: readonly string[],
  within: WithinContent | undefined,
  above: ReadonlySet<string>,
): readonly Column[] {
  const complex = type.kind === 'complex' && !collection ? model.complexTypes.get(type.name) : undefined;
  if (complex === undefined || complex.open || above.has(complex.name)) {
    const isText = !collection && (type.name === 'Edm.String' || type.kind === 'enumeration');
    return [{ path, isText: isText || type.name === 'Edm.Untyped' }];
  }
  const inside = new Set([...above, complex.name]);
  const own = propertiesOf(model, complex).flatMap((property) =>
    valueColumns(model, property, [...path, property.name], within?.within?.get(property.name), inside),
  );
  return [...own, ...expandedColumns(model, within?.expanded, path)];
}

function expandedColumns(
  model: Model,
  expanded: ReadonlyMap<string, Expansion> | undefined,
  before: readonly string[],
): readonly Column[] {
  return [...(expanded ?? [])].flatMap(([name, expansion]) => {
    const path = [...before, name];
    if (expansion.countOnly === true) return [{ path: [...before, `${name}@count`], isText: false }];
    if (expansion.collection || expansion.referencesOnly === true) return [{ path, isText: false }];
    return contentColumns(model, expansion, path);
  });
}

function propertiesOf(model: Model, type: ComplexType): readonly StructuralProperty[] {
  const all = familyOf(model, type).flatMap(({ structuralProperties }) => [...structuralProperties.values()]);
  return [...new Map(all.filter(isReadable).map((property) => [property.name, property])).values()];
}

/** The type and those that are derived from it. */
function familyOf(
  { entityTypes, complexTypes }: Model,
  declared: EntityType | ComplexType,
): readonly StructuredType[] {
  const all = [...('key' in declared ? entityTypes : complexTypes).values()];
  const names = new Set([declared.name]);
  for (const { name, baseType } of all) if (baseType !== undefined && names.has(baseType)) names.add(name);
  return [declared, ...all.filter(({ name }) => name !== declared.name && names.has(name))];
}

function first<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
