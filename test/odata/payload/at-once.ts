import type { Row, Value } from '../../../src/contract/row.ts';
import { finished, type Work } from '../../../src/core/work.ts';
import type { CollectionControl } from '../../../src/odata/payload/json/entity-content.ts';
import * as references from '../../../src/odata/payload/json/entity-reference.ts';
import * as entities from '../../../src/odata/payload/json/json.ts';
import type { JsonText } from '../../../src/odata/payload/json/json-text.ts';
import * as values from '../../../src/odata/payload/json/property-value.ts';
import { budget } from '../../support/budget.ts';

/** The text of a payload, written at once. */
function text(work: Work<JsonText>): string {
  return Buffer.from(finished(work)).toString();
}

export function writeCollection(
  shape: entities.EntityShape,
  rows: readonly Row[],
  control: CollectionControl = {},
): string {
  return text(entities.writeCollection(shape, rows, control, budget()));
}

export function writeEntity(shape: entities.EntityShape, row: Row): string {
  return text(entities.writeEntity(shape, row, budget()));
}

export function writeReferences(
  shape: references.ReferenceShape,
  urls: readonly string[],
  control: CollectionControl = {},
): string {
  const rows = urls.map((url) => ({ url }));
  return text(references.writeReferences(shape, rows, ({ url }) => String(url), control, budget()));
}

export function writeProperty(
  shape: values.ValueShape,
  value: Value,
  control: CollectionControl = {},
): string {
  return text(values.writeProperty(shape, value, control, budget()));
}
