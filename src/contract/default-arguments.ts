import type { DefaultFilter, ListOperation } from '../model/operation.ts';
import type { Arguments } from './entity-source.ts';
import { ownValue, type Value } from './row.ts';

/**
 * The arguments by which a list has all of its entities, one call for each, whatever the API takes its parameters to be
 * where they are missing. Those that are given stay.
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

/** The argument that sends values: a list of them, or the first. */
export function sentValue({ isList }: Pick<DefaultFilter, 'isList'>, values: readonly string[]): Value {
  return isList ? values : (values[0] ?? null);
}
