import type { DefaultFilter, ListOperation } from '../model/operation.ts';
import type { Arguments } from './entity-source.ts';
import { ownValue, type Value } from './row.ts';

/**
 * The arguments with which a list returns all of its entities, one set per call, whatever defaults the API
 * has for missing parameters. Given arguments are kept.
 */
export function wholeArguments(
  { defaults = [] }: Pick<ListOperation, 'defaults'>,
  given: Arguments,
): readonly Arguments[] {
  return defaults
    .filter(({ parameter, whole }) => whole.length > 0 && ownValue(given, parameter) === null)
    .reduce<readonly Arguments[]>(
      (calls, filter) =>
        calls.flatMap((call) =>
          filter.whole.map((values) => ({ ...call, [filter.parameter]: sentValue(filter, values) })),
        ),
      [{}],
    );
}

/** The argument for the values: a list, or the first value. */
export function sentValue({ isList }: Pick<DefaultFilter, 'isList'>, values: readonly string[]): Value {
  return isList ? values : (values[0] ?? null);
}
