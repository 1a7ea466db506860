import type { EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { narrowedProperty } from '../../contract/narrowing-arguments.ts';
import type { ParameterTrust, ParameterUse, TriedList, Verdict } from '../../contract/parameter-trust.ts';
import { UNRESTRICTED } from '../../contract/principal.ts';
import type { Row } from '../../contract/row.ts';
import type { Model } from '../../model/model.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import { readPage } from './probe.ts';
import { isSendable, valueClass, valuesIn } from './sendable-value.ts';

/** The outcome of trying out one parameter of the list of an entity set. */
export interface ProbedParameter {
  readonly entitySet: string;
  readonly parameter: string;
  /** The property, and what the parameter does to it if its name is true. */
  readonly use: string;
  /** `unsafe`: no row of the first page could show it. */
  readonly verdict: Verdict;
}

/** The most values of one enumeration that are tried out. */
const MOST_VALUES = 8;

/** Tries out the parameters of the lists of all entity sets, one after the other, by GET requests alone. */
export async function* probeLists(
  trust: ParameterTrust,
  source: EntitySource,
  { entitySets }: Model,
): AsyncGenerator<ProbedParameter> {
  for (const { name, entityType, list } of entitySets.values()) {
    if (list === undefined || list.fixed !== undefined) continue;
    const { narrowing = [], sorting = [] } = list;
    if (narrowing.length === 0 && sorting.length === 0) continue;
    const tried: TriedList = { resource: name, entityType, operation: list, arguments: {} };
    const { data } = await readPage({ source, list: tried, call: newCall() }, {});
    const rows = [...data];
    for (const parameter of narrowing) {
      const uses = usesOf(tried, parameter, rows);
      const verdicts: Verdict[] = [];
      for (const use of uses) verdicts.push(await trust.prove(source, tried, use, newCall()));
      const { condition, path, member } = parameter;
      yield {
        entitySet: name,
        parameter: [parameter.parameter.name, ...(member === undefined ? [] : [member])].join('.'),
        use: `${path.join('/')} ${condition.kind}`,
        verdict: verdicts.find((verdict) => verdict !== 'proved') ?? verdicts[0] ?? 'unsafe',
      };
    }
    for (const each of sorting) {
      const verdict = await trust.prove(source, tried, { kind: 'order', sorting: each }, newCall());
      const parameter = Object.entries(each.arguments).map(([key, value]) => `${key}=${value}`);
      const use = `order by ${each.property}${each.descending ? ' desc' : ''}`;
      yield { entitySet: name, parameter: parameter.join('&'), use, verdict };
    }
  }
}

/** Each call counts as a request of its own, which may try out one parameter. */
function newCall(): CallContext {
  return { id: 'probe', principal: UNRESTRICTED, signal: new AbortController().signal };
}

/** The uses to try out with values of the rows: each value of an enumeration, two at once for a list, else one. */
function usesOf(
  { entityType }: TriedList,
  parameter: NarrowingParameter,
  rows: readonly Row[],
): readonly ParameterUse[] {
  const property = narrowedProperty(parameter, entityType);
  const kind = property && valueClass(property, parameter);
  const found = rows.flatMap((row) => valuesIn(row, parameter));
  const sendable = found.filter((value) => isSendable(parameter, entityType, value));
  const values = [...new Map(sendable.map((value) => [String(value), value])).values()];
  if (kind === undefined || values.length === 0 || parameter.hasDefault === true) return [];
  if (parameter.condition.kind === 'in') {
    return [{ kind: 'narrow', parameter, values: values.slice(0, kind === 'each' ? MOST_VALUES : 2) }];
  }
  const chosen = values.slice(0, kind === 'each' ? MOST_VALUES : 1);
  return chosen.map((value) => ({ kind: 'narrow', parameter, values: [value] }));
}
