import type { Row, Value } from '../../contract/entity-source.ts';
import type { Model } from '../../model/edm.ts';
import type { TypeUse } from '../../model/type-use.ts';
import type { JsonFormat } from './format.ts';
import { controlPrefix } from './json.ts';
import { compileValueWriter } from './json-value.ts';
import type { ODataVersion } from './version.ts';

/** How a value that is no entity is written. */
export interface ValueShape {
  readonly model: Model;
  readonly use: TypeUse;
  readonly contextUrl: string;
  readonly format: JsonFormat;
  readonly version: ODataVersion;
}

/** A property or a function's result (JSON Format, 11 and 18): a complex value's members, else `value`. */
export function writeProperty(shape: ValueShape, value: Value): string {
  const { use, format, version, contextUrl } = shape;
  const written = compileValueWriter(shape.model, use, format)(value);
  const context = format.metadata === 'none' ? {} : { [`${controlPrefix(version)}context`]: contextUrl };
  const members = use.type.kind === 'complex' && !use.collection ? (written as Row) : { value: written };
  return JSON.stringify({ ...context, ...members });
}
