import type { Row } from '../../contract/row.ts';
import type { Key, Ordering } from './compare.ts';
import type { Evaluator } from './evaluator.ts';

/** What a row is compared and sorted by; null where the expression is null. */
export type KeyReader = (row: Row) => Key | null;

export function keyReader(value: Evaluator, { key }: Ordering): KeyReader {
  return key === undefined
    ? (value as KeyReader)
    : (row) => {
        const found = value(row);
        return found === null ? null : key(found);
      };
}
