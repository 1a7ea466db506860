import { ARITHMETIC_FUNCTIONS } from './arithmetic.ts';
import { COLLECTION_FUNCTIONS, STRING_FUNCTIONS_OF_COLLECTIONS } from './collection.ts';
import { DATE_TIME_FUNCTIONS } from './date-time.ts';
import { GEO_FUNCTIONS } from './geo.ts';
import type { Signature } from './signature.ts';
import { STRING_FUNCTIONS } from './string.ts';

/** The overloads of every canonical function (5.1.1.4) by its name in lower case. */
export const CANONICAL_FUNCTIONS: ReadonlyMap<string, readonly Signature[]> = new Map([
  ...STRING_FUNCTIONS.map(
    ([name, overloads]) =>
      [name, [...overloads, ...(STRING_FUNCTIONS_OF_COLLECTIONS.get(name) ?? [])]] as const,
  ),
  ...DATE_TIME_FUNCTIONS,
  ...ARITHMETIC_FUNCTIONS,
  ...COLLECTION_FUNCTIONS,
  ...GEO_FUNCTIONS,
]);
