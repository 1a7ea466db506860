import type { ListsSummary, ModelSummary } from '../../contract/api-report.ts';
import type { Finding, ListReport } from '../../model/derive/model-from-openapi.ts';
import type { Callable, EntitySet } from '../../model/edm.ts';
import { type PlaceFinder, shownPlace } from '../../openapi/document/written-place.ts';
import { groupFindings } from '../plan/group-findings.ts';
import { operationsOf } from '../plan/operation-resources.ts';
import type { ServedPlan } from '../plan/plan.ts';

/** What a model has of one of its sources, and what is left out of it. */
export function summarizeModel(
  { model, report, lists }: Pick<ServedPlan, 'model' | 'report' | 'lists'>,
  source: string,
  placeOf: PlaceFinder,
): ModelSummary {
  const callables = (kind: Callable['kind']): readonly string[] => [
    ...new Set(
      model.callables
        .filter((each) => each.kind === kind && each.calls.some(({ operation }) => isOf(operation, source)))
        .map(({ name }) => name),
    ),
  ];
  return {
    entitySets: [...model.entitySets.values()]
      .filter((set) => Object.values(operationsOf(set)).some((operation) => isOf(operation, source)))
      .map(summarizeSet),
    singletons: [...model.singletons.values()]
      .filter(({ read }) => isOf(read, source))
      .map(({ name }) => name),
    functions: callables('function'),
    actions: callables('action'),
    leftOut: groupFindings(report.filter((finding) => finding.source === source)).map((group) =>
      summarizeFindings(group, placeOf),
    ),
    lists: summarizeLists(
      lists.filter((list) => list.source === source),
      placeOf,
    ),
  };
}

function summarizeFindings(
  [{ severity, pointer, message }, ...others]: readonly [Finding, ...Finding[]],
  placeOf: PlaceFinder,
): ModelSummary['leftOut'][number] {
  const more = others.length === 0 ? {} : { others: others.length };
  return { severity, ...shownPlace(placeOf(pointer)), message, ...more };
}

function isOf(operation: { readonly source?: string } | undefined, source: string): boolean {
  return operation?.source === source;
}

function summarizeSet(set: EntitySet): ModelSummary['entitySets'][number] {
  const operations = Object.entries(operationsOf(set)).flatMap(([name, operation]) =>
    operation === undefined ? [] : [name],
  );
  return { name: set.name, type: set.entityType.name, key: set.entityType.key, operations };
}

/** Whether clients find the list's rows in an entity set, or below another entity. */
function isTable({ became }: ListReport): boolean {
  return became !== 'function' && became !== 'nothing';
}

/** How many lists are tables, and the reasons of the others, each with one of the lists that have it. */
function summarizeLists(lists: readonly ListReport[], placeOf: PlaceFinder): ListsSummary {
  const others = lists.filter((list) => !isTable(list));
  const groups = [...Map.groupBy(others, ({ rule = '' }) => rule)];
  const reasons = groups.flatMap(([rule, [first, ...more]]) => {
    if (first === undefined) return [];
    const { message = '', hint = '', path, pointer } = first;
    return [{ rule, message, hint, lists: 1 + more.length, path, ...shownPlace(placeOf(pointer)) }];
  });
  return {
    lists: lists.length,
    tables: lists.length - others.length,
    reasons: reasons.toSorted((a, b) => b.lists - a.lists),
  };
}
