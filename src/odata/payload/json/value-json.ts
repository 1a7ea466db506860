import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row, Value } from '../../../contract/row.ts';
import type { Work } from '../../../contract/work.ts';
import type { TypeUse } from '../../../model/edm.ts';
import { typeIn } from '../negotiation/untyped-text.ts';
import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import { writeItems } from './json.ts';
import { JsonItems } from './json-items.ts';
import type { JsonStyle } from './json-style.ts';
import { ValueWriters } from './value-writers.ts';
import { type JsonText, writeJson } from './write-json.ts';

/** How a value that is no entity is written. */
export interface ValueShape extends JsonStyle {
  readonly use: TypeUse;
  /** The metadata document says nothing of it. */
  readonly dynamic?: boolean;
  readonly contextUrl: string;
}

/**
 * A property or a function's result, which is not null (JSON Format, 11 and 18): a complex value's members,
 * else `value`.
 */
export function writeProperty(
  shape: ValueShape,
  value: Value,
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  const { use, dynamic, format, version, contextUrl } = shape;
  const writers = new ValueWriters(shape);
  const single = { ...use, collection: false };
  const write = dynamic === true ? writers.of(single) : writers.ofDeclared(single);
  const shown = dynamic === true ? use : { ...use, type: typeIn(version, use.type) };
  const type = format.metadata === 'full' ? writers.typeOf(shown, value) : undefined;
  const writeValue = (each: Value): Value => (write === undefined || each === null ? each : write(each));
  if (use.collection) {
    const items = new JsonItems((value ?? []) as readonly Value[], writeValue);
    return writeItems(shape, contextUrl, items, { ...control, type }, budget);
  }
  const written = writeValue(value);
  const prefix = controlPrefix(version);
  const header =
    format.metadata === 'none' ? {} : { [`${prefix}context`]: contextUrl, [`${prefix}type`]: type };
  const members = use.type.kind === 'complex' ? (written as Row) : { value: written };
  return writeJson({ ...header, ...members }, budget);
}
