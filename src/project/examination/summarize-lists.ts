import type { ListsSummary } from '../../contract/api-report.ts';
import type { ListReport } from '../../model/derive/model-from-openapi.ts';
import { type PlaceFinder, shownPlace } from '../../openapi/document/written-place.ts';

/** Whether clients find the list's rows in an entity set, or below another entity. */
function isTable({ became }: ListReport): boolean {
  return became !== 'function' && became !== 'nothing';
}

/** How many lists are tables, and the reasons of the others, each with one of the lists that have it. */
export function summarizeLists(lists: readonly ListReport[], placeOf: PlaceFinder): ListsSummary {
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
