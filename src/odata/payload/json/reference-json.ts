import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import { writeItems } from './json.ts';
import type { JsonStyle } from './json-style.ts';

/** How entity references are written. */
export interface ReferenceShape extends Pick<JsonStyle, 'format' | 'version'> {
  readonly contextUrl: string;
}

/** A collection of entity references (JSON Format, 14) with those URLs. */
export function writeReferences(
  shape: ReferenceShape,
  urls: readonly string[],
  control: CollectionControl = {},
): string {
  const items = urls.map((url) => ({ [`${controlPrefix(shape.version)}id`]: url }));
  return writeItems(shape, shape.contextUrl, items, control);
}

/** One entity reference (JSON Format, 14). */
export function writeReference({ format, version, contextUrl }: ReferenceShape, url: string): string {
  const prefix = controlPrefix(version);
  const context = format.metadata === 'none' ? {} : { [`${prefix}context`]: contextUrl };
  return JSON.stringify({ ...context, [`${prefix}id`]: url });
}
