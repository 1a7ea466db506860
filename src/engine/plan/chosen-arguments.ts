import { sentValue, wholeArguments } from '../../contract/default-arguments.ts';
import type { Arguments, JointLists } from '../../contract/entity-source.ts';
import { upstreamText } from '../../contract/narrowing-arguments.ts';
import { matchesPattern } from '../../core/safe-regexp.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ListOperation } from '../../model/operation.ts';
import { allows } from '../../model/type-use.ts';
import type { FixedArguments, PropertyCondition } from '../resource/read-needs.ts';
import { isAbout } from './conditions.ts';

/** The most calls for the values of conditions. */
const MOST_CALLS = 100;

/**
 * The arguments for parameters with a default whose property has a condition: the API is asked for the entities with these
 * values, and not with its default. Undefined without such a parameter.
 */
export function chosenArguments(
  { structuralProperties }: EntityType,
  { defaults = [] }: ListOperation,
  conditions: readonly PropertyCondition[],
): FixedArguments {
  let combined: readonly Arguments[] = [{}];
  for (const filter of defaults) {
    const { parameter, property, isList, values: bounds } = filter;
    const use = property === undefined ? undefined : structuralProperties.get(property);
    const condition = conditions.find(
      (each) => property !== undefined && isAbout({ path: [property] }, each),
    );
    if (use === undefined || condition?.kind !== 'in') continue;
    const texts = condition.values.map((value) => upstreamText(use, value));
    if (!texts.every((text) => allows(bounds, text, matchesPattern))) continue;
    const calls = isList ? [texts] : texts.map((text) => [text]);
    combined = combined.flatMap((before) =>
      calls.map((values) => ({ ...before, [parameter]: sentValue(filter, values) })),
    );
  }
  const [first = {}] = combined;
  return combined.length > MOST_CALLS || Object.keys(first).length === 0 ? undefined : combined;
}

/** The lists, each by each of the chosen arguments. */
export function chosenLists(lists: JointLists | undefined, chosen: FixedArguments): JointLists | undefined {
  if (chosen === undefined) return lists;
  const { each = [{}], missing = 'error' } = lists ?? {};
  return { each: each.flatMap((own) => chosen.map((call) => ({ ...own, ...call }))), missing };
}

/** Whether a list is read by more than one call, because of the defaults of its parameters. */
export function isSplit(list: ListOperation, chosen: FixedArguments): boolean {
  const [given = {}, ...others] = chosen ?? [];
  return others.length > 0 || wholeArguments(list, given).length > 1;
}
