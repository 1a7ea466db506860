import type { Terms } from './vocabulary-terms.ts';

const ENUMERATIONS: ReadonlySet<string> = new Set([
  'Aggregation.RollupType',
  'Capabilities.HttpMethod',
  'Core.Permission',
  'Core.RevisionKind',
]);

/**
 * The types of the terms and properties in `$metadata` whose values are other than JSON says. What bounds a value is a
 * decimal to clients, though the vocabulary leaves it open.
 */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['Core.Permissions', 'Core.Permission'],
  ['Kind', 'Core.RevisionKind'],
  ['UpdateMethod', 'Capabilities.HttpMethod'],
  ['Rollup', 'Aggregation.RollupType'],
  ['Validation.Minimum', 'Edm.Decimal'],
  ['Validation.Maximum', 'Edm.Decimal'],
  ['Validation.MultipleOf', 'Edm.Decimal'],
  ['Core.OptimisticConcurrency', 'Edm.PropertyPath'],
  ['FilterableProperties', 'Edm.PropertyPath'],
  ['Name', 'Edm.PropertyPath'],
  ['NodeProperty', 'Edm.PropertyPath'],
  ['NonFilterableProperties', 'Edm.PropertyPath'],
  ['NonInsertableProperties', 'Edm.PropertyPath'],
  ['NonSortableProperties', 'Edm.PropertyPath'],
  ['NonUpdatableProperties', 'Edm.PropertyPath'],
  ['RequiredProperties', 'Edm.PropertyPath'],
  ['ExpandableProperties', 'Edm.NavigationPropertyPath'],
  ['NavigationProperty', 'Edm.NavigationPropertyPath'],
  ['NonDeletableNavigationProperties', 'Edm.NavigationPropertyPath'],
  ['NonInsertableNavigationProperties', 'Edm.NavigationPropertyPath'],
  ['NonUpdatableNavigationProperties', 'Edm.NavigationPropertyPath'],
  ['ParentNavigationProperty', 'Edm.NavigationPropertyPath'],
]);

/** What the vocabularies say of the values that `$metadata` has, by their aliases: the documents need not be read for it. */
export const METADATA_TERMS: Terms = {
  typeOfTerm: typeNamed,
  typeOfProperty: (_, property) => typeNamed(property),
  underlying: (type) => type,
  isEnumeration: (type) => ENUMERATIONS.has(type),
  fullName: (name) => name,
};

function typeNamed(name: string) {
  return { type: TYPES.get(name) ?? 'Edm.Untyped', collection: false };
}
