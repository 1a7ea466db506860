import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../contract/work.ts';
import { contextUrl } from '../negotiation/context-url.ts';
import type { CollectionControl } from './collection-control.ts';
import { controlPrefix } from './control-information.ts';
import { type EntityShape, entityWriter, writeItems } from './json.ts';
import { JsonItems } from './json-items.ts';
import type { JsonText } from './write-json.ts';

/** An entity that is gone, or that the query does not show any more. */
export interface RemovedEntity {
  /** Its canonical URL, relative to the service root. */
  readonly id: string;
  readonly reason: 'deleted' | 'changed';
}

/** Those of the set at that path. */
interface Removed {
  readonly path: string;
  readonly entities: readonly RemovedEntity[];
}

/** A delta payload (JSON Format, 15). What is removed comes first: what is there again is not taken away afterwards. */
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

/** JSON Format, 15.3: 4.01 marks the entity as removed, 4.0 says it by the context. */
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
