import type { Arguments, ListEstimate } from '../../contract/entity-source.ts';
import { narrowingArguments, withArguments } from '../../contract/narrowing-arguments.ts';
import type { ParameterUse, Verdict } from '../../contract/parameter-trust.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type {
  ListOperation,
  NarrowingParameter,
  Operation,
  SortingArguments,
} from '../../model/operation.ts';
import type { PropertyCondition, ReadNeeds } from '../resource/read-needs.ts';
import { isAbout, isSamePath } from './conditions.ts';
import { widened } from './widened-bound.ts';

/** The facts about a collection's operations that a plan is made from. */
export interface ListFacts {
  readonly list: ListOperation;
  readonly entityType: EntityType;
  /** The read of one entity by key. */
  readonly read: Operation | undefined;
  readonly estimate: ListEstimate | undefined;
  /** The parameters that have a value already: an owner's key, or what the query must fix. */
  readonly given: readonly string[];
  /** The list is one of several that are read one after the other. */
  readonly isJoint: boolean;
  readonly verdictOf: (use: ParameterUse) => Verdict;
}

/** The calls that answer a query. The engine applies all options to their rows, except where a plan is exact. */
export type ReadPlan =
  /** Reads by key, concurrently. */
  | { readonly kind: 'keys'; readonly keys: readonly Row[] }
  /** Calls of the list for some ids each. An id that does not come back is read by key. */
  | {
      readonly kind: 'ids';
      readonly keys: readonly Row[];
      readonly use: ParameterUse;
      readonly property: string;
      /** The arguments of each call. */
      readonly each: readonly Arguments[];
    }
  /** The list, narrowed or sorted by parameters, and perhaps not to its end. */
  | ListPlan;

export interface ListPlan {
  readonly kind: 'list';
  /** For the parameters that narrow and sort. */
  readonly arguments: Arguments;
  /** The list is called once for each of these; undefined for one call. */
  readonly each: readonly Arguments[] | undefined;
  readonly uses: readonly ParameterUse[];
  readonly sorting: SortingArguments | undefined;
  /** Pages are read until so many rows meet the conditions. */
  readonly end: number | undefined;
  /** The total of the list is the number of entities that meet the conditions. */
  readonly isExact: boolean;
}

/** A plan, and the uses whose proofs would make a plan of fewer calls. */
export interface PlannedRead {
  readonly plan: ReadPlan;
  readonly calls: number;
  readonly open: readonly ParameterUse[];
}

/** The calls that a list of unknown length is counted as. */
const UNKNOWN_CALLS = 8;

/** The calls that trying out a parameter is counted as. */
export const PROBE_CALLS = 2;

/** The number of ids in one call of a list whose document does not limit it. */
const IDS_PER_CALL = 50;

/** The most calls of a list for the values of one condition. */
const MOST_LISTS = 8;

/** The most reads by key of one query. */
const MOST_READS = 100;

/** The number of calls that read the whole list, in the largest pages that may be asked for. */
function wholeCalls({ estimate, list }: Pick<ListFacts, 'estimate' | 'list'>): number {
  if (estimate?.total === undefined) return UNKNOWN_CALLS;
  // Reads of a few rows have shown smaller pages.
  const pageSize = Math.max(1, estimate.pageSize, list.paging?.size?.largest ?? 1);
  return Math.max(1, Math.ceil(estimate.total / pageSize));
}

/** Chooses the calls that answer a query, by their number. It makes no call and has no side effect. */
export function planRead(needs: ReadNeeds, facts: ListFacts): PlannedRead {
  const whole = wholeCalls(facts);
  const byKey = mayBeJoined(needs) || needs.keys?.length === 1;
  const found = byKey
    ? [keyPlan(needs, facts), idPlan(needs, facts, whole)].flatMap((each) => each ?? [])
    : [];
  const listed = listPlan(needs, facts, whole);
  const best = found.reduce((one, other) => (other.calls <= one.calls ? other : one), listed);
  return { ...best, open: isLong(best, facts) ? openUses([...found, listed]) : [] };
}

/** Whether the rows may come in another order than that of the list. */
function mayBeJoined({ places }: ReadNeeds): boolean {
  return places !== 'listed';
}

/**
 * Whether a plan may take more calls than a probe. Of a list of unknown length any call may be many, unless its document
 * describes no pages: then it is mostly one.
 */
function isLong({ plan, calls }: PlannedRead, { list, estimate }: ListFacts): boolean {
  if (estimate?.total !== undefined || plan.kind !== 'list') return calls > PROBE_CALLS;
  return list.paging !== undefined && calls > 1;
}

/** Each use once: two plans may need the same one. */
function openUses(plans: readonly PlannedRead[]): readonly ParameterUse[] {
  const all = plans.flatMap(({ open }) => open);
  const nameOfUse = (use: ParameterUse) => (use.kind === 'order' ? '' : nameOf(use));
  const isSame = (one: ParameterUse, other: ParameterUse): boolean =>
    one.kind === other.kind && nameOfUse(one) === nameOfUse(other);
  return all.filter((use, index) => all.findIndex((each) => isSame(each, use)) === index);
}

function keyPlan({ keys }: ReadNeeds, { read }: ListFacts): PlannedRead | undefined {
  if (keys === undefined || read === undefined || keys.length > MOST_READS) return undefined;
  return { plan: { kind: 'keys', keys }, calls: keys.length, open: [] };
}

function idPlan({ keys }: ReadNeeds, facts: ListFacts, whole: number): PlannedRead | undefined {
  const { list, entityType, verdictOf } = facts;
  const [first] = keys ?? [];
  const [property, ...others] = Object.keys(first ?? {});
  if (keys === undefined || property === undefined || others.length > 0) return undefined;
  const values = keys.map((key) => key[property] ?? null);
  const parameter = list.narrowing?.find(
    ({ path, condition, parameter: { name } }) =>
      condition.kind === 'in' && isSamePath(path, [property]) && !facts.given.includes(name),
  );
  if (parameter?.condition.kind !== 'in') return undefined;
  const each = chunked(values, parameter.condition.most ?? IDS_PER_CALL).map((chunk) =>
    narrowingArguments(parameter, entityType, chunk),
  );
  const use: ParameterUse = { kind: 'narrow', parameter, values };
  const verdict = verdictOf(use);
  if (verdict === 'proved')
    return { plan: { kind: 'ids', keys, use, property, each }, calls: each.length, open: [] };
  const isWorthIt = verdict === 'open' && Math.min(keys.length, whole) > each.length;
  return { ...wholePlan(Number.POSITIVE_INFINITY), open: isWorthIt ? [use] : [] };
}

function chunked<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const most = Math.max(1, size);
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );
}

/** The list as it is, to its end. */
export function wholePlan(calls: number): PlannedRead {
  const plan: ReadPlan = {
    kind: 'list',
    arguments: {},
    each: undefined,
    uses: [],
    sorting: undefined,
    end: undefined,
    isExact: false,
  };
  return { plan, calls, open: [] };
}

/** The fraction of a list that a condition is assumed to leave. */
const LEFT = { in: 1 / 5, lower: 1 / 3, upper: 1 / 3 } as const;

function listPlan(needs: ReadNeeds, facts: ListFacts, all: number): PlannedRead {
  const { list, entityType, isJoint, verdictOf } = facts;
  const declared = needs.pushed?.arguments ?? {};
  const { narrowing, open } = narrowingUses(needs, facts, [...Object.keys(declared), ...facts.given]);
  const sorting = sortingOf(needs, list);
  const order = sorting && verdictOf({ kind: 'order', sorting });
  const isCut = needs.end !== undefined && !isJoint && narrowing.every(({ isSplit }) => !isSplit);
  const isSorted = isCut && order === 'proved';
  const end =
    isCut && needs.accept !== undefined && (needs.order === undefined || isSorted) ? needs.end : undefined;
  const exact = exactUses(needs, facts, narrowing);
  const split = narrowing.find(({ isSplit }) => isSplit);
  const plan: ListPlan = {
    kind: 'list',
    arguments: narrowing
      .filter((each) => each !== split)
      .map(({ use: { parameter, values } }) => narrowingArguments(parameter, entityType, values))
      .reduce(withArguments, (isSorted && sorting?.arguments) || {}),
    each: split?.chunks.map((chunk) => narrowingArguments(split.use.parameter, entityType, chunk)),
    uses: narrowing.map(({ use }) => use),
    sorting: isSorted ? sorting : undefined,
    end,
    isExact: exact.length > 0 && exact.every((use) => verdictOf(use) === 'proved'),
  };
  const conditions = [...Object.keys(declared).map(() => LEFT.in), ...narrowing.map(({ left }) => left)];
  const left = conditions.reduce((rest, fraction) => rest * fraction, isSorted ? 0 : all);
  const rows = end !== undefined && !isSorted ? left / 2 : left;
  const calls = plan.isExact && needs.isCount ? 1 : Math.max(plan.each?.length ?? 1, Math.ceil(rows));
  const more: ParameterUse[] = [
    ...exact.filter((use) => verdictOf(use) === 'open'),
    ...open,
    ...(isCut && sorting !== undefined && order === 'open' ? [{ kind: 'order', sorting } as const] : []),
  ];
  if (calls > all && plan.each !== undefined) return { ...wholePlan(all), open: more };
  return { plan, calls, open: more };
}

/** The proved uses that narrow the list, at most one for a condition, and the open ones for the others. */
function narrowingUses(
  needs: ReadNeeds,
  { list, isJoint, verdictOf }: ListFacts,
  declared: readonly string[],
): { readonly narrowing: readonly NarrowingUse[]; readonly open: readonly ParameterUse[] } {
  const { conditions } = needs;
  const narrowing: NarrowingUse[] = [];
  const open: ParameterUse[] = [];
  const taken = new Set(declared.map((name) => JSON.stringify([name])));
  const isProved = (use: NarrowUse): boolean =>
    verdictOf(use) === 'proved' || verdictOf({ ...use, kind: 'exact' }) === 'proved';
  for (const condition of conditions) {
    const usable = candidatesOf(condition, list, isJoint || !mayBeJoined(needs)).filter(
      ({ use, isSplit }) => !taken.has(nameOf(use)) && !(isSplit && narrowing.some((other) => other.isSplit)),
    );
    const proved = usable.find(({ use }) => isProved(use));
    if (proved === undefined)
      open.push(...usable.map(({ use }) => use).filter((use) => verdictOf(use) === 'open'));
    else {
      narrowing.push(proved);
      taken.add(nameOf(proved.use));
    }
  }
  return { narrowing, open };
}

type NarrowUse = Extract<ParameterUse, { readonly kind: 'narrow' }>;

interface NarrowingUse {
  readonly use: NarrowUse;
  /** The fraction of the list that is assumed to be left. */
  readonly left: number;
  /** The values of each call. */
  readonly chunks: readonly (readonly Value[])[];
  /** The parameter takes only some of the values: the list is called for each chunk of them. */
  readonly isSplit: boolean;
}

/** The parameters that narrow a list to a condition, the best first. */
function candidatesOf(
  condition: PropertyCondition,
  { narrowing = [] }: ListOperation,
  isJoint: boolean,
): readonly NarrowingUse[] {
  const own = narrowing.filter((each) => isAbout(each, condition) && each.hasDefault !== true);
  const found = own.flatMap((parameter) => useFor(condition, parameter) ?? []);
  return found
    .filter(({ isSplit, chunks }) => !isSplit || (!isJoint && chunks.length <= MOST_LISTS))
    .sort((one, other) => Number(one.isSplit) - Number(other.isSplit));
}

function useFor(condition: PropertyCondition, parameter: NarrowingParameter): NarrowingUse | undefined {
  const { kind } = parameter.condition;
  const use = (values: readonly Value[], most: number): NarrowingUse => {
    const chunks = chunked(values, most);
    const left = Math.min(1, LEFT[condition.kind] * chunks.length);
    return { use: { kind: 'narrow', parameter, values }, left, chunks, isSplit: chunks.length > 1 };
  };
  if (condition.kind === 'in') {
    if (kind === 'equal') return use(condition.values, 1);
    return parameter.condition.kind === 'in'
      ? use(condition.values, parameter.condition.most ?? IDS_PER_CALL)
      : undefined;
  }
  if (condition.kind !== kind || parameter.condition.kind !== kind) return undefined;
  const bound = widened(condition, parameter.condition.inclusive, parameter.form);
  return bound === undefined ? undefined : use([bound], 1);
}

/** A parameter, or a member of a parameter's object, takes one value. */
function nameOf({ parameter: { parameter, member } }: Pick<NarrowUse, 'parameter'>): string {
  return JSON.stringify(member === undefined ? [parameter.name] : [parameter.name, member]);
}

function sortingOf(
  { order, accept }: ReadNeeds,
  { sorting = [] }: ListOperation,
): SortingArguments | undefined {
  if (order === undefined || accept === undefined) return undefined;
  return sorting.find(
    ({ property, descending }) => property === order.property && descending === order.descending,
  );
}

/** The uses by which the total of the list is the number of entities that meet the conditions; none if it cannot be. */
function exactUses(
  needs: ReadNeeds,
  { list, given, isJoint, verdictOf }: ListFacts,
  narrowing: readonly NarrowingUse[],
): readonly ParameterUse[] {
  const isCounted = needs.isCount || needs.isCounted === true;
  if (!isCounted || !needs.isWholeFilter || needs.pushed === undefined) return [];
  if (list.paging?.tells.total !== true || isJoint || Object.keys(needs.pushed.arguments).length > 0)
    return [];
  const uses = needs.conditions.flatMap((condition): readonly ParameterUse[] => {
    const chosen = narrowing.find(({ use }) => isAbout(use.parameter, condition));
    const possible = chosen === undefined ? candidatesOf(condition, list, isJoint) : [chosen];
    const [found] = possible.filter(({ use }) => !given.includes(use.parameter.parameter.name));
    const { condition: does, ofElements } = found?.use.parameter ?? {};
    const isEqual = does?.kind === 'equal' && ofElements !== true && found?.isSplit === false;
    return found === undefined || !isEqual ? [] : [{ ...found.use, kind: 'exact' }];
  });
  const isPossible = uses.every((use) => ['open', 'proved'].includes(verdictOf(use)));
  // A parameter that two conditions share can send the value of one of them.
  const parameters = new Set(uses.map((use) => (use.kind === 'order' ? '' : nameOf(use))));
  return parameters.size === needs.conditions.length && isPossible ? uses : [];
}
