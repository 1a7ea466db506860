import type { ParameterOutcome } from '../../contract/api-report.ts';
import type { EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { narrowedProperty } from '../../contract/narrowing-arguments.ts';
import type { ParameterUse, TriedList, Verdict } from '../../contract/parameter-trust.ts';
import type { Row } from '../../contract/row.ts';
import type { Model } from '../../model/model.ts';
import type { NarrowingParameter, SortingArguments } from '../../model/operation.ts';
import type { ParameterProofs } from './parameter-proofs.ts';
import { readPage } from './probe.ts';
import { isSendable, valueClass, valuesIn } from './sendable-value.ts';

/** The lists whose parameters are tried out. */
export interface ProbedLists {
  readonly proofs: ParameterProofs;
  readonly source: EntitySource;
  readonly model: Model;
  /** The name of the source whose lists they are; undefined for those of all. */
  readonly api: string | undefined;
}

/** The most values of one enumeration that are tried out. */
const MOST_VALUES = 8;

/**
 * Tries out the parameters of the lists of entity sets, one after the other, by GET requests alone. Those of a list that
 * cannot be read are `open`.
 */
export async function* probeLists(lists: ProbedLists, call: CallContext): AsyncGenerator<ParameterOutcome> {
  const { proofs, source } = lists;
  // Each probe counts as a request of its own, which may try out a few parameters.
  const ownCall = (): CallContext => ({ ...call, signal: AbortSignal.any([call.signal]) });
  for (const tried of triedLists(lists)) {
    const { narrowing = [], sorting = [] } = tried.operation;
    const rows = await firstRows(source, tried, call);
    for (const parameter of narrowing) {
      const uses = rows === undefined ? [] : usesOf(tried, parameter, rows);
      const verdicts: Verdict[] = rows === undefined ? ['open'] : [];
      for (const use of uses) verdicts.push(await proofs.prove(source, tried, use, ownCall()));
      const verdict = verdicts.find((each) => each !== 'proved') ?? verdicts[0] ?? 'unsafe';
      yield narrowingOutcome(tried, parameter, verdict);
    }
    for (const each of sorting) {
      const use: ParameterUse = { kind: 'order', sorting: each };
      const verdict = rows === undefined ? 'open' : await proofs.prove(source, tried, use, ownCall());
      yield sortingOutcome(tried, each, verdict);
    }
  }
}

/** The outcomes so far; makes no call. */
export function knownOutcomes(
  lists: ProbedLists,
  call: Pick<CallContext, 'principal'>,
): readonly ParameterOutcome[] {
  return triedLists(lists).flatMap((tried) => {
    const { operation } = tried;
    const verdictOf = (use: ParameterUse): Verdict => lists.proofs.summary(operation, use, call);
    return [
      ...(operation.narrowing ?? []).map((parameter) =>
        narrowingOutcome(tried, parameter, verdictOf({ kind: 'narrow', parameter, values: [] })),
      ),
      ...(operation.sorting ?? []).map((sorting) =>
        sortingOutcome(tried, sorting, verdictOf({ kind: 'order', sorting })),
      ),
    ];
  });
}

function triedLists({ model, api }: ProbedLists): readonly TriedList[] {
  return [...model.entitySets.values()].flatMap(({ name, entityType, list }) => {
    if (list === undefined || list.fixed !== undefined) return [];
    if (api !== undefined && list.source !== api) return [];
    const isTried = list.narrowing !== undefined || list.sorting !== undefined;
    return isTried ? [{ resource: name, entityType, operation: list, arguments: {} }] : [];
  });
}

/** Undefined if the list cannot be read. */
async function firstRows(
  source: EntitySource,
  list: TriedList,
  call: CallContext,
): Promise<readonly Row[] | undefined> {
  try {
    return [...(await readPage({ source, list, call }, {})).data];
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

const FORMS = { local: ' without an offset', date: ' as a date' } as const;

function narrowingOutcome(
  { resource }: TriedList,
  { parameter, member, path, condition, form }: NarrowingParameter,
  verdict: Verdict,
): ParameterOutcome {
  return {
    entitySet: resource,
    parameter: [parameter.name, ...(member === undefined ? [] : [member])].join('.'),
    use: `${path.join('/')} ${condition.kind}${form === undefined ? '' : FORMS[form]}`,
    verdict,
  };
}

function sortingOutcome(
  { resource }: TriedList,
  { property, descending, arguments: sent }: SortingArguments,
  verdict: Verdict,
): ParameterOutcome {
  const parameter = Object.entries(sent).map(([key, value]) => `${key}=${value}`);
  const use = `order by ${property}${descending ? ' desc' : ''}`;
  return { entitySet: resource, parameter: parameter.join('&'), use, verdict };
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
