import type { Terms } from './vocabulary-terms.ts';

const ENUMERATIONS: ReadonlySet<string> = new Set([
  'Aggregation.RollupType',
  'Capabilities.HttpMethod',
  'Core.Permission',
  'Core.RevisionKind',
  'UI.TextArrangementType',
]);

/**
 * The types of terms and properties in `$metadata` that JSON does not show. Bounds are decimals, which
 * clients expect, though the vocabulary leaves the type open.
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
  ['Common.SemanticKey', 'Edm.PropertyPath'],
  ['UI.SelectionFields', 'Edm.PropertyPath'],
  ['UI.TextArrangement', 'UI.TextArrangementType'],
  ['LocalDataProperty', 'Edm.PropertyPath'],
  ['Target', 'Edm.AnnotationPath'],
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

/** The types of the annotations in `$metadata`, by alias, so that the vocabularies need not be parsed. */
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
