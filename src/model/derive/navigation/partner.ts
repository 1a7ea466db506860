import type { DescribedEntityType, DescribedNavigationProperty } from '../../description.ts';
import { styleless } from '../../names.ts';

type EntityTypes = ReadonlyMap<string, DescribedEntityType>;

/**
 * Pairs navigation properties that are two directions of one relationship (CSDL 4.01, 8.3): a list that
 * is asked for with an entity's key, and the only property that leads from the listed ones back by a
 * foreign key of that name; or the only list below an entity's path, where the foreign key is named after
 * the entity, too: `Member/Loans` and the member that a loan's `memberId` leads to.
 */
export function withPartners(types: EntityTypes): EntityTypes {
  const partners = new Map<DescribedNavigationProperty, string>();
  for (const kind of ['link', 'path'] as const) {
    for (const type of types.values()) {
      for (const many of listsOf(type, kind)) {
        const back = navigationOf(types.get(many.entityType)).filter((one) => leadsBack(type, many, one));
        const [one] = back;
        if (one === undefined || back.length > 1 || partners.has(one)) continue;
        partners.set(many, one.name).set(one, many.name);
      }
    }
  }
  return new Map([...types].map(([name, type]) => [name, withPartnersOf(types, type, partners)]));
}

function navigationOf(type: DescribedEntityType | undefined): readonly DescribedNavigationProperty[] {
  return [...(type?.navigationProperties.values() ?? [])];
}

/** Below a path, several lists of one type are not told apart. */
function listsOf(type: DescribedEntityType, kind: 'link' | 'path'): readonly DescribedNavigationProperty[] {
  const lists = navigationOf(type).filter(({ collection, origin }) => collection && origin.kind === kind);
  if (kind === 'link') return lists;
  return lists.filter(
    ({ entityType, containsTarget }) =>
      !containsTarget && lists.filter((each) => each.entityType === entityType).length === 1,
  );
}

function leadsBack(
  type: DescribedEntityType,
  many: DescribedNavigationProperty,
  one: DescribedNavigationProperty,
): boolean {
  if (one.collection || one.entityType !== type.name) return false;
  const foreignKeys = new Set(one.constraints.map(({ property }) => styleless(property)));
  return namesOfKey(type, many).some((name) => foreignKeys.has(styleless(name)));
}

/** What a foreign key for the entity may be called, by the list that is asked for with its key. */
function namesOfKey(
  { name, key }: DescribedEntityType,
  { origin }: DescribedNavigationProperty,
): readonly string[] {
  switch (origin.kind) {
    case 'embedded':
      return [];
    case 'link':
      return origin.operation.parameters.map((parameter) => parameter.name);
    case 'path': {
      const parameters = origin.places.flatMap(({ list }) => list?.parameters ?? []);
      return [...parameters.map((parameter) => parameter.name), ...key.map((part) => `${name} ${part}`)];
    }
  }
}

function withPartnersOf(
  types: EntityTypes,
  type: DescribedEntityType,
  partners: ReadonlyMap<DescribedNavigationProperty, string>,
): DescribedEntityType {
  const properties = [...(type.navigationProperties ?? [])].map(([name, property]) => {
    const partner = partnerOf(types, type, name, partners);
    return [name, partner === undefined ? property : { ...property, partner }] as const;
  });
  return { ...type, navigationProperties: new Map(properties) };
}

/** A derived type has the property of its base as a copy of its own. */
function partnerOf(
  types: EntityTypes,
  type: DescribedEntityType,
  name: string,
  partners: ReadonlyMap<DescribedNavigationProperty, string>,
): string | undefined {
  const property = type.navigationProperties?.get(name);
  const partner = property && partners.get(property);
  const base = type.baseType === undefined ? undefined : types.get(type.baseType);
  return partner ?? (base && property && partnerOf(types, base, name, partners));
}
