import type { Row, Value } from '../../../contract/entity-source.ts';
import type { TypeUse } from '../../../model/type-use.ts';
import { typeIn } from '../untyped-text.ts';
import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import { writeItems } from './json.ts';
import type { JsonStyle } from './json-style.ts';
import { ValueWriters } from './value-writers.ts';

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
export function writeProperty(shape: ValueShape, value: Value, control: CollectionControl = {}): string {
  const { use, dynamic, format, version, contextUrl } = shape;
  const writers = new ValueWriters(shape);
  const write = dynamic === true ? writers.of(use) : writers.ofDeclared(use);
  const shown = dynamic === true ? use : { ...use, type: typeIn(version, use.type) };
  const type = format.metadata === 'full' ? writers.typeOf(shown, value) : undefined;
  const written = write === undefined || value === null ? value : write(value);
  if (use.collection) return writeItems(shape, contextUrl, written as readonly Value[], { ...control, type });
  const prefix = controlPrefix(version);
  const header =
    format.metadata === 'none' ? {} : { [`${prefix}context`]: contextUrl, [`${prefix}type`]: type };
  const members = use.type.kind === 'complex' ? (written as Row) : { value: written };
  return JSON.stringify({ ...header, ...members });
}
