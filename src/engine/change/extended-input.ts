import type { InsertedContent } from '../../contract/entity-source.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { EntityInput } from '../input/entity-input.ts';

/** The input with further values; `nested` takes the place of what it has so far, and nothing is left to be bound. */
export function extendedInput(
  input: EntityInput,
  { values, nested }: Pick<EntityInput, 'values' | 'nested'>,
): EntityInput {
  return { ...input, values: { ...input.values, ...values }, bindings: [], nested };
}

/** What a new entity at a place of that declared type is made of. */
export function contentOf(declared: EntityType, input: EntityInput): InsertedContent {
  const { verbatim } = input;
  if (verbatim !== undefined) return { kind: 'verbatim', body: verbatim };
  return { kind: 'values', values: sentValues(declared, input) };
}

/**
 * What is sent of an entity at a place of that declared type: its values, its type where that is another one, and
 * the related entities that stand in its own JSON upstream.
 */
export function sentValues(declared: EntityType, { entityType, values, nested }: EntityInput): Row {
  const embedded = nested.filter(({ property }) => property.origin.kind === 'embedded');
  const related = embedded.map(({ property, entities }): [string, Value] => {
    const items = entities.map((entity) => sentValues(property.entityType, entity));
    return [property.name, property.collection ? items : (items[0] ?? null)];
  });
  const whole = { ...values, ...Object.fromEntries(related) };
  return entityType === declared ? whole : { ...whole, [TYPE]: entityType.name };
}
