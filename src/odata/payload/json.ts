import type { Row } from '../../contract/entity-source.ts';
import type { EntityType, Model, PrimitiveTypeName } from '../../model/edm.ts';
import type { JsonFormat } from './format.ts';
import { compileRowWriter } from './json-value.ts';
import type { ODataVersion } from './version.ts';

/** How the entities of one answer are written. Made once for a query and a format. */
export interface EntityShape {
  readonly model: Model;
  /** The declared type of the rows. */
  readonly entityType: EntityType;
  /** The canonical URL of an entity, relative to the service root; undefined where it has none: it is transient. */
  readonly canonical: ((row: Row) => string) | undefined;
  /** The types of the computed properties that are shown. */
  readonly computed: ReadonlyMap<string, PrimitiveTypeName>;
  /** The properties that are shown, in this order. */
  readonly shown: readonly string[];
  /** The rows have the shown properties in that order, and no others. */
  readonly exact: boolean;
  readonly contextUrl: string;
  readonly format: JsonFormat;
  readonly version: ODataVersion;
}

/** What is said of a collection beside its entities. */
export interface CollectionControl {
  readonly count: number | undefined;
  /** The URL of the rest where this is a part (Part 1, 11.2.6.7). */
  readonly nextLink: string | undefined;
}

/** A collection of entities (JSON Format, 12): the context first, then the count, then the entities. */
export function writeCollection(
  shape: EntityShape,
  rows: readonly Row[],
  { count, nextLink }: CollectionControl,
): string {
  const next =
    nextLink === undefined ? '' : `,"${controlPrefix(shape.version)}nextLink":${JSON.stringify(nextLink)}`;
  const total =
    count === undefined ? '' : `"${controlPrefix(shape.version)}count":${writeCount(shape, count)},`;
  return `{${writeContext(shape, ',')}${total}"value":${JSON.stringify(project(shape, rows))}${next}}`;
}

/** One entity (JSON Format, 6). */
export function writeEntity(shape: EntityShape, row: Row): string {
  const [projected] = project(shape, [row]);
  const members = JSON.stringify(projected);
  return `{${writeContext(shape, members === '{}' ? '' : ',')}${members.slice(1)}`;
}

/** The control information that starts every annotation of the version's payloads (JSON Format, 4.5). */
export function controlPrefix(version: ODataVersion): '@' | '@odata.' {
  return version === '4.01' ? '@' : '@odata.';
}

function writeContext(shape: EntityShape, separator: string): string {
  if (shape.format.metadata === 'none') return '';
  return `"${controlPrefix(shape.version)}context":${JSON.stringify(shape.contextUrl)}${separator}`;
}

/** Edm.Int64, and thus a string where numbers have to be doubles (JSON Format, 3.2). */
function writeCount(shape: EntityShape, count: number): string {
  return shape.format.ieee754Compatible ? `"${count}"` : String(count);
}

/** The rows as they are shown. They pass through untouched where they have nothing else. */
function project(shape: EntityShape, rows: readonly Row[]): readonly Row[] {
  const { exact, shown, canonical } = shape;
  const written = compileRowWriter(shape);
  const idName = needsId(shape) ? `${controlPrefix(shape.version)}id` : undefined;
  if (idName === undefined && exact) return written === undefined ? rows : rows.map(written);
  return rows.map((row) => {
    const projected: Record<string, Row[string]> = {};
    if (idName !== undefined && canonical !== undefined) projected[idName] = canonical(row);
    for (const name of shown) projected[name] = row[name] ?? null;
    return written === undefined ? projected : written(projected);
  });
}

/** An entity whose key is not shown is named by its id instead (JSON Format, 4.5.8). */
function needsId({ format, shown, entityType }: EntityShape): boolean {
  return format.metadata === 'minimal' && !entityType.key.every((name) => shown.includes(name));
}
