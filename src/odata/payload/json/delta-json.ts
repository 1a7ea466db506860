import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row, Value } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import { contextUrl } from '../negotiation/context-url.ts';
import { controlPrefix } from '../negotiation/format.ts';
import type { CollectionControl, EntityContent } from './entity-content.ts';
import { compileEntityWriter, type EntityShape, entityWriter, writeItems } from './json.ts';
import { JsonItems, type JsonText } from './json-text.ts';
import type { JsonStyle } from './value-writers.ts';

/** An entity that was deleted or is no longer a result. */
export interface RemovedEntity {
  /** Its canonical URL, relative to the service root. */
  readonly id: string;
  readonly reason: 'deleted' | 'changed';
}

/** The removed entities of a set. */
interface Removed {
  readonly path: string;
  readonly entities: readonly RemovedEntity[];
}

/** A delta payload (JSON Format, 15). Removed entities come first, in case an entity was created again. */
export function writeDelta(
  shape: EntityShape,
  rows: readonly Row[],
  { path, entities }: Removed,
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  const removed = entities.map((entity) => removedObject(shape, path, entity));
  const write = entityWriter(shape);
  const isRemoved = new Set(removed);
  const items = new JsonItems(
    [...removed, ...rows],
    (item) => (isRemoved.has(item) ? item : write(item)),
    shape.expanded !== undefined,
  );
  return writeItems(shape, shape.contextUrl, items, control, budget);
}

/** JSON Format, 15.3: 4.01 uses an annotation, 4.0 the context URL. */
function removedObject(
  { version, format, contextUrl: context }: EntityShape,
  path: string,
  { id, reason }: RemovedEntity,
): Row {
  const prefix = controlPrefix(version);
  if (version === '4.01') return { [`${prefix}removed`]: { reason }, [`${prefix}id`]: id };
  const root = context.slice(0, context.indexOf('/$metadata'));
  const url = contextUrl(root, { kind: 'deletedEntity', path }, version);
  return { ...(format.metadata !== 'none' && { [`${prefix}context`]: url }), id, reason };
}

/** The entity of a set in each combination. */
export interface CombinedEntity {
  readonly name: string;
  /** The canonical URL, relative to the service root. */
  readonly urlOf: (row: Row) => string;
  /** The content if the entity is expanded; undefined for a link. */
  readonly content: EntityContent | undefined;
}

/** The content of a cross join. */
interface Combinations {
  readonly entities: readonly CombinedEntity[];
  /** Properties that query options have added. */
  readonly made: EntityContent;
  readonly rows: readonly Row[];
  readonly control: CollectionControl;
}

/**
 * Writes the combinations of a cross join (Part 2, 4.15): links or expanded entities, and added properties.
 */
export function writeCombinations(
  style: JsonStyle,
  contextUrl: string,
  { entities, made, rows, control }: Combinations,
  budget: RequestBudget,
): Work<JsonText> {
  const writers = entities.map((entity) => memberWriter(style, entity));
  const writeMade = compileEntityWriter(style, made);
  const writeRow = (row: Row): Value => ({
    ...Object.fromEntries(writers.flatMap((write) => write(row))),
    ...writeMade(row),
  });
  return writeItems(style, contextUrl, new JsonItems(rows, writeRow), control, budget);
}

type Member = readonly [name: string, value: Value];

function memberWriter(
  style: JsonStyle,
  { name, urlOf, content }: CombinedEntity,
): (row: Row) => readonly Member[] {
  if (content !== undefined) {
    const write = compileEntityWriter(style, content);
    return (row) => [[name, write(row[name] as Row)]];
  }
  if (style.format.metadata === 'none') return () => [];
  const link = `${name}${controlPrefix(style.version)}navigationLink`;
  return (row) => [[link, urlOf(row[name] as Row)]];
}
