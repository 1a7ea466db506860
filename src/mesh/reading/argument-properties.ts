import type { CollectionRead, EntityRead } from '../../contract/entity-source.ts';
import { mappedRows, type Row, type Rows, type Value } from '../../contract/row.ts';
import type { ListOperation, Operation } from '../../model/operation.ts';

type Read = Pick<CollectionRead | EntityRead, 'entityType' | 'properties' | 'arguments'> & {
  readonly operation: Operation & Pick<ListOperation, 'fixed' | 'lacks'>;
};

/**
 * The properties that the upstream's answer has, of those that are wanted: others are the call's own parameters, or are
 * not in a list.
 */
export function answeredProperties(read: Read): readonly string[] {
  return read.properties.filter((name) => !isElsewhere(read, name));
}

function isElsewhere({ entityType, operation }: Read, name: string): boolean {
  return isArgument(entityType, name) || operation.lacks?.includes(name) === true;
}

function isArgument({ structuralProperties }: Read['entityType'], name: string): boolean {
  return structuralProperties.get(name)?.argument === true;
}

/**
 * The rows of an answer with the parameters of the call that are wanted as properties, and null for what a list has
 * not; all in the order that is wanted.
 */
export function withArguments(read: Read, rows: Rows): Rows {
  const complete = completion(read);
  return complete === undefined ? rows : mappedRows(rows, complete);
}

export function withArgument(read: Read, row: Row): Row {
  return completion(read)?.(row) ?? row;
}

function completion(read: Read): ((row: Row) => Row) | undefined {
  const { properties } = read;
  if (!properties.some((name) => isElsewhere(read, name))) return undefined;
  const values = argumentValues(read);
  return (row) => {
    const known = properties.map((name) => [name, values.get(name) ?? row[name] ?? null] as const);
    return { ...Object.fromEntries(known), ...row };
  };
}

/** The parameters of the call by the properties that they are. */
function argumentValues({ operation, arguments: given }: Read): ReadonlyMap<string, Value> {
  const { fixed = [] } = operation;
  return new Map(
    [...operation.parameters, ...fixed].map(({ name, property }) => [property, given[name] ?? null]),
  );
}
