import type { CallableImport, EntitySet } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';

/** Whether the service document has an entity set: not where a GET of all its entities is impossible. */
export function isListed({ list, page }: EntitySet): boolean {
  return list !== undefined || page !== undefined;
}

/**
 * Whether the service document has a function import: where it can be called without parameters (CSDL
 * 4.01, 13.6), and answers with data.
 */
export function isListedImport({ callables }: Model, { kind, callable }: CallableImport): boolean {
  const overloads = callables.filter(({ name, binding }) => name === callable && binding === undefined);
  return (
    kind === 'function' &&
    overloads.some(
      ({ parameters, returns }) =>
        returns?.type.name !== 'Edm.Stream' && parameters.every(({ optional }) => optional),
    )
  );
}
