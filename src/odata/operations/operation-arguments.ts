import type { Arguments, Row } from '../../contract/entity-source.ts';
import type { Operation } from '../../model/operation.ts';

/**
 * The values of an operation's parameters: properties of the entities along the resource path, the last of
 * which is 0 up.
 */
export function operationArguments({ parameters }: Operation, path: readonly Row[]): Arguments {
  const values = parameters.map(({ name, property, up = 0 }) => [name, path.at(-1 - up)?.[property] ?? null]);
  return Object.fromEntries(values);
}
