import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row, Value } from '../../../contract/row.ts';
import type { Work } from '../../../contract/work.ts';
import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import type { EntityContent } from './entity-content.ts';
import { compileEntityWriter } from './entity-writer.ts';
import { writeItems } from './json.ts';
import { JsonItems } from './json-items.ts';
import type { JsonStyle } from './json-style.ts';
import type { JsonText } from './write-json.ts';

/** An entity that every combination has under that name. */
export interface CombinedEntity {
  readonly name: string;
  /** The canonical URL, relative to the service root. */
  readonly urlOf: (row: Row) => string;
  /** What is shown of the entity where it is expanded; else it is a link. */
  readonly content: EntityContent | undefined;
}

/**
 * The combinations of a cross join (Part 2, 4.15): links to the entities, or the entities themselves, and
 * what options have made beside them.
 */
export function writeCombinations(
  style: JsonStyle,
  contextUrl: string,
  entities: readonly CombinedEntity[],
  made: EntityContent,
  rows: readonly Row[],
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  const writers = entities.map((entity) => memberWriter(style, entity));
  const writeMade = compileEntityWriter(style, made) ?? ((row: Row) => row);
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
    const write = compileEntityWriter(style, content) ?? ((entity: Row) => entity);
    return (row) => [[name, write(row[name] as Row)]];
  }
  if (style.format.metadata === 'none') return () => [];
  const link = `${name}${controlPrefix(style.version)}navigationLink`;
  return (row) => [[link, urlOf(row[name] as Row)]];
}
