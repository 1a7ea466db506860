import type { RequestBudget } from '../../../contract/request-budget.ts';
import { doubleValue, plainDigits, type Row, type Value } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import type { TypeUse, ValueType } from '../../../model/edm.ts';
import { controlPrefix, typeIn } from '../negotiation/format.ts';
import type { CollectionControl } from './entity-content.ts';
import { writeItems } from './json.ts';
import { JsonItems, type JsonText, writeJson } from './json-text.ts';
import { type JsonStyle, ValueWriters } from './value-writers.ts';

/** The format of a value that is not an entity. */
export interface ValueShape extends JsonStyle {
  readonly use: TypeUse;
  /** True if the metadata document does not declare the value. */
  readonly dynamic?: boolean;
  readonly contextUrl: string;
}

/**
 * A non-null property or function result (JSON Format, 11 and 18): the members of a complex value, else
 * `value`.
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

/** The response of `/$value` (Part 1, 11.2.4.1). */
interface RawValue {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** A primitive value without JSON. `mediaType` is the annotated type of a property. */
export function rawValue({ type }: Pick<TypeUse, 'type'>, value: Value, mediaType?: string): RawValue {
  if (type.name !== 'Edm.Binary')
    return { contentType: mediaType ?? 'text/plain', body: rawText(type, value) };
  const body = Buffer.from(String(value), 'base64url');
  return { contentType: mediaType ?? 'application/octet-stream', body };
}

function rawText({ name }: ValueType, value: Value): string {
  switch (name) {
    case 'Edm.Decimal':
    case 'Edm.Int64':
      return plainDigits(String(value));
    case 'Edm.Double':
    case 'Edm.Single':
      return String(doubleValue(value));
    default:
      return name.startsWith('Edm.Geography') ? geographyText(value) : String(value);
  }
}

/** A GeoJSON value (RFC 7946) as well-known text with WGS 84 (ABNF, fullCollectionLiteral and others). */
function geographyText(value: Value): string {
  return `SRID=4326;${shapeText(value as Row)}`;
}

function shapeText({ type, coordinates, geometries }: Row): string {
  const name = String(type);
  if (name === 'GeometryCollection') {
    return `Collection(${((geometries ?? []) as readonly Row[]).map(shapeText).join(',')})`;
  }
  const parts = coordinates ?? [];
  return `${name}${name === 'MultiPoint' ? multiPointText(parts) : coordinatesText(parts)}`;
}

/** The numbers of a position, separated by spaces, or the parts of a shape in parentheses. */
function coordinatesText(value: Value): string {
  const parts = value as readonly Value[];
  if (!Array.isArray(parts[0])) return `(${positionText(value)})`;
  const isLine = !Array.isArray((parts[0] as readonly Value[])[0]);
  return `(${parts.map(isLine ? positionText : coordinatesText).join(',')})`;
}

/** In a MultiPoint, each point has parentheses. */
function multiPointText(value: Value): string {
  return `(${(value as readonly Value[]).map(coordinatesText).join(',')})`;
}

function positionText(value: Value): string {
  return (value as readonly Value[]).join(' ');
}
