import type { Arguments } from '../../contract/entity-source.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { Operation } from '../../model/operation.ts';
import type { EntityResource } from '../resource/resource.ts';

/** Reads properties of an entity as they are now. */
type ReadProperties = (entity: EntityResource, properties: readonly string[]) => Promise<Row>;

/**
 * The values of an operation's parameters: properties of the entities along the resource path, which ends
 * with `last`. What the URL does not say is read. Undefined where one of them is null.
 */
export async function argumentsAlong(
  { parameters }: Operation,
  last: EntityResource | undefined,
  read: ReadProperties,
): Promise<Arguments | undefined> {
  const values: Record<string, Value> = {};
  for (const [up, wanted] of Map.groupBy(parameters, (parameter) => parameter.up ?? 0)) {
    const properties = wanted.map(({ property }) => property);
    const row = await propertiesOf(ancestor(last, up), properties, read);
    for (const { name, property } of wanted) {
      const value = row[property] ?? null;
      if (value === null) return undefined;
      values[name] = value;
    }
  }
  return values;
}

function ancestor(entity: EntityResource | undefined, up: number): EntityResource | undefined {
  let found = entity;
  for (let step = 0; step < up; step += 1) found = found?.parent;
  return found;
}

/** The properties of an entity of the path: from the URL where it says them all, else read. */
async function propertiesOf(
  entity: EntityResource | undefined,
  properties: readonly string[],
  read: ReadProperties,
): Promise<Row> {
  if (entity === undefined) throw new Error(`No entity of the path fills parameters with ${properties}`);
  const { known } = entity;
  return properties.every((property) => known[property] !== undefined) ? known : read(entity, properties);
}
