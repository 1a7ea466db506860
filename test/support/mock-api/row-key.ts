import type { Parameter } from './api-document.ts';
import { generate } from './generated-value.ts';
import { isObject, type JsonObject } from './json.ts';
import { plainWord } from './plain-word.ts';
import type { Viewer } from './schema-view.ts';

/** The key property of rows: its path and schema. */
export interface RowKey {
  readonly place: readonly string[];
  readonly schema: JsonObject;
}

/** Names of keys, the likeliest first. */
const KEY_NAMES = ['id', 'uuid', 'guid', 'gid', 'sid', 'pk', 'key', 'slug', 'code', 'name'];

/** The property for the last parameter of an item's path, or else one of the same name. */
export function rowKeyOf(
  view: Viewer,
  row: JsonObject,
  parameter: Parameter | undefined,
  path: string,
): RowKey | undefined {
  const names = [...(parameter === undefined ? [] : parameterNames(parameter.name, path)), ...KEY_NAMES];
  const found = keyAmong(view, row, names, []) ?? keyWithin(view, row, names);
  if (found === undefined || parameter === undefined) return found;
  const { kind } = view(parameter.schema);
  if (kind === view(found.schema).kind)
    return { ...found, schema: { allOf: [found.schema, parameter.schema] } };
  const isNumbered = kind === 'integer' && view(found.schema).kind === 'string';
  return isNumbered ? { ...found, schema: { allOf: [found.schema], format: 'int64' } } : found;
}

/** `customer_id` and `id`; of `{promotion_code}` below `promotion_codes`, which is the row itself, no part. */
function parameterNames(name: string, path: string): readonly string[] {
  const whole = plainWord(name);
  const last = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .split(/[^A-Za-z0-9]+/)
    .at(-1);
  const isRow = path.split('/').some((segment) => plainWord(segment).replace(/s$/, '') === whole);
  if (isRow) return [whole];
  // An identifier or a name: the identifier, since two may have one name.
  const isEither = /id_?or_?(?:name|slug)$/i.test(name);
  return [whole, ...(isEither ? ['id'] : []), plainWord(last ?? '')];
}

function keyAmong(
  view: Viewer,
  row: JsonObject,
  names: readonly string[],
  place: readonly string[],
): RowKey | undefined {
  const properties = [...view(row).properties];
  for (const word of names) {
    const found = properties.find(([name, schema]) => plainWord(name) === word && isScalar(view, schema));
    if (found !== undefined) return { place: [...place, found[0]], schema: found[1] };
  }
  return undefined;
}

/** A key may lie one level deeper, as `metadata.name` does. */
function keyWithin(view: Viewer, row: JsonObject, names: readonly string[]): RowKey | undefined {
  for (const [name, schema] of view(row).properties) {
    const found = /^(id|metadata|meta|attributes)$/.test(name)
      ? keyAmong(view, schema, names, [name])
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isScalar(view: Viewer, schema: JsonObject): boolean {
  const { kind } = view(schema);
  return kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'any';
}

/** The key of the row with that number: the same below every parent. */
export function keyValue(view: Viewer, { place, schema }: RowKey, row: number): unknown {
  return generate(view, schema, { row, salt: '' }, place.at(-1) ?? '');
}

/** The value at the place, put there where the objects on the way are. */
export function withValue(row: JsonObject, place: readonly string[], value: unknown): JsonObject {
  const [name, ...rest] = place;
  if (name === undefined) return row;
  const inner = row[name];
  return { ...row, [name]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}
