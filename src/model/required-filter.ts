import type { ListOperation, OperationParameter } from './operation.ts';

/** What a caller's filter must fix of a list: it can be read without one where it is read from its owners. */
export function requiredFilter({
  fixed = [],
  over,
}: Pick<ListOperation, 'fixed' | 'over'>): readonly OperationParameter[] {
  return over === undefined || over.hidden === true ? fixed : [];
}
