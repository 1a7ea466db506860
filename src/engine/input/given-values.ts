import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { type Mistakes, quote } from './mistakes.ts';
import type { Reading, ReadObject } from './reading.ts';
import { keepFacets } from './scalar-input.ts';

/** What the URL of a new entity says of it keeps the facets of its properties, as what a body says does. */
export function demandFacets(reading: Reading, { structuralProperties }: EntityType, given: Row): void {
  for (const [name, value] of Object.entries(given)) {
    const property = structuralProperties.get(name);
    if (property !== undefined) keepFacets(reading, property, value, name);
  }
}

/** An entity with what the URL says of it: a body may repeat that, and says nothing else in its place. */
export function withGiven(
  entity: ReadObject<EntityType>,
  given: Row,
  mistakes: Mistakes,
): ReadObject<EntityType> {
  const { values, nested } = entity;
  for (const [name, value] of Object.entries(given)) {
    const said = values[name];
    const isOther = said !== undefined && String(said) !== String(value);
    if (isOther) mistakes.add(name, `${quote(String(value))}, as the URL says`, quote(String(said)));
  }
  for (const { property } of nested) {
    const isGiven = property.constraints.some((each) => Object.hasOwn(given, each.property));
    if (isGiven) mistakes.add(property.name, 'the entity that the URL leads to', 'a new one');
  }
  return { ...entity, values: { ...values, ...given } };
}
