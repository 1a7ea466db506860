import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import { controlPrefix } from '../negotiation/format.ts';
import type { CollectionControl } from './entity-content.ts';
import { writeItems } from './json.ts';
import { JsonItems, type JsonText } from './json-text.ts';
import type { JsonStyle } from './value-writers.ts';

export interface ReferenceShape extends Pick<JsonStyle, 'format' | 'version'> {
  readonly contextUrl: string;
}

export function writeReferences(
  shape: ReferenceShape,
  rows: readonly Row[],
  urlOf: (row: Row) => string,
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  const member = `${controlPrefix(shape.version)}id`;
  const items = new JsonItems(rows, (row) => ({ [member]: urlOf(row) }));
  return writeItems(shape, shape.contextUrl, items, control, budget);
}

export function writeReference({ format, version, contextUrl }: ReferenceShape, url: string): string {
  const prefix = controlPrefix(version);
  const context = format.metadata === 'none' ? {} : { [`${prefix}context`]: contextUrl };
  return JSON.stringify({ ...context, [`${prefix}id`]: url });
}
