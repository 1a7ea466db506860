import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../contract/work.ts';
import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import type { EntityContent } from './entity-content.ts';
import { compileEntityWriter } from './entity-writer.ts';
import { JsonItems } from './json-items.ts';
import type { JsonStyle } from './json-style.ts';
import { type JsonText, writeJson } from './write-json.ts';

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
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  return writeItems(shape, shape.contextUrl, entityValues(shape, rows), control, budget);
}

/** Entities as the members of their JSON objects, without a context. */
function entityValues(shape: EntityShape, rows: readonly Row[]): JsonItems<Row> {
  return new JsonItems(rows, entityWriter(shape), shape.expanded !== undefined);
}

/** What makes of an entity the members of its JSON object, without a context. */
export function entityWriter(shape: EntityShape): (row: Row) => Row {
  return writerOf(shape) ?? ((row) => row);
}

/** One entity (JSON Format, 6). */
export function writeEntity(shape: EntityShape, row: Row, budget: RequestBudget): Work<JsonText> {
  const { format, version, contextUrl } = shape;
  const context = format.metadata === 'none' ? {} : { [`${controlPrefix(version)}context`]: contextUrl };
  return writeJson({ ...context, ...entityWriter(shape)(row) }, budget);
}

/** An array with what is said of it around it. */
export function writeItems(
  style: Pick<JsonStyle, 'format' | 'version'>,
  contextUrl: string,
  items: JsonItems<Row> | JsonItems,
  { type, count, operations, nextLink, deltaLink }: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  const { metadata, ieee754Compatible } = style.format;
  const prefix = controlPrefix(style.version);
  const members = {
    ...(metadata !== 'none' && { [`${prefix}context`]: contextUrl }),
    [`${prefix}type`]: type,
    // Edm.Int64, and thus a string where numbers have to be doubles (JSON Format, 3.2).
    [`${prefix}count`]: ieee754Compatible && count !== undefined ? String(count) : count,
    ...(metadata === 'full' && operations),
    value: items,
    [`${prefix}nextLink`]: nextLink,
    [`${prefix}deltaLink`]: deltaLink,
  };
  return writeJson(members, budget);
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
