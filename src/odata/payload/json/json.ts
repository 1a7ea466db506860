import type { Row, Value } from '../../../contract/entity-source.ts';
import type { EntityContent } from '../body/entity-content.ts';
import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import { compileEntityWriter } from './entity-writer.ts';
import type { JsonStyle } from './json-style.ts';

/**
 * How the entities of one answer are written.
 *
 * Keep a shape for all answers to the same query in the same format: it is compiled when it is first used.
 */
export interface EntityShape extends EntityContent, JsonStyle {
  readonly contextUrl: string;
}

/** A collection of entities (JSON Format, 12): the context first, then the count, then the entities. */
export function writeCollection(
  shape: EntityShape,
  rows: readonly Row[],
  control: CollectionControl = {},
): string {
  return writeItems(shape, shape.contextUrl, entityValues(shape, rows), control);
}

/** Entities as the members of their JSON objects, without a context. */
export function entityValues(shape: EntityShape, rows: readonly Row[]): readonly Row[] {
  const write = writerOf(shape);
  return write === undefined ? rows : rows.map(write);
}

/** One entity (JSON Format, 6). */
export function writeEntity(shape: EntityShape, row: Row): string {
  const write = writerOf(shape);
  const members = JSON.stringify(write === undefined ? row : write(row));
  return `{${contextMember(shape, shape.contextUrl, members === '{}' ? '' : ',')}${members.slice(1)}`;
}

/** An array with what is said of it around it; in one text from the start, which needs not be copied again. */
export function writeItems(
  style: Pick<JsonStyle, 'format' | 'version'>,
  contextUrl: string,
  items: readonly Value[],
  { type, count, operations, nextLink, deltaLink }: CollectionControl,
): string {
  const { metadata, ieee754Compatible } = style.format;
  const prefix = controlPrefix(style.version);
  return JSON.stringify({
    ...(metadata !== 'none' && { [`${prefix}context`]: contextUrl }),
    [`${prefix}type`]: type,
    // Edm.Int64, and thus a string where numbers have to be doubles (JSON Format, 3.2).
    [`${prefix}count`]: ieee754Compatible && count !== undefined ? String(count) : count,
    ...(metadata === 'full' && operations),
    value: items,
    [`${prefix}nextLink`]: nextLink,
    [`${prefix}deltaLink`]: deltaLink,
  });
}

function contextMember(
  { format, version }: Pick<JsonStyle, 'format' | 'version'>,
  contextUrl: string,
  separator: string,
): string {
  if (format.metadata === 'none') return '';
  return `"${controlPrefix(version)}context":${JSON.stringify(contextUrl)}${separator}`;
}

interface Compiled {
  readonly write: ((row: Row) => Row) | undefined;
}

const COMPILED = new WeakMap<EntityShape, Compiled>();

function writerOf(shape: EntityShape): Compiled['write'] {
  const known = COMPILED.get(shape);
  if (known !== undefined) return known.write;
  const write = compileEntityWriter(shape, shape);
  COMPILED.set(shape, { write });
  return write;
}
