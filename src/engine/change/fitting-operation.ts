import type { UpdateOperation } from '../../model/operation.ts';

/** The operation by which a change goes out: whole entities go to a PUT where the document has one (Part 1, 11.4.3 and 11.4.4). */
export function fittingOperation(update: UpdateOperation, method: 'PATCH' | 'PUT'): UpdateOperation {
  return method === 'PUT' ? (update.replacing ?? update) : update;
}

/** The operation that creates an entity which is not there (Part 1, 11.4.4); undefined where none does. */
export function insertingOperation(update: UpdateOperation): UpdateOperation | undefined {
  return [update, update.replacing].find((operation) => operation?.inserts === true);
}
