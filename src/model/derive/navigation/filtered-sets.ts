import type { DocumentOperation } from '../operations/document-operation.ts';
import { entitySetNames } from '../sets/entity-set.ts';
import { filteredSetPlan } from '../sets/filtered-set-plan.ts';
import type { Place } from '../sets/place.ts';
import { placeOfSet, type SetDraft } from '../sets/set-draft.ts';
import { findPathNavigations, type NavigationSearch, type PathNavigation } from './path-navigation.ts';

interface FilteredSets {
  readonly drafts: readonly SetDraft[];
  readonly navigations: readonly PathNavigation[];
  readonly places: readonly Place[];
}

/** Sets of the lists that nothing else is made of, and what is below their entities; the shortest paths come first. */
export function filteredSets(
  search: NavigationSearch,
  operations: readonly DocumentOperation[],
): FilteredSets {
  const { derivation, used } = search;
  const found: { drafts: SetDraft[]; navigations: PathNavigation[]; places: Place[] } = {
    drafts: [],
    navigations: [],
    places: [],
  };
  for (const operation of operations.toSorted(byPathLength)) {
    const planned = used.has(operation) ? undefined : filteredSetPlan(search, operation);
    if (planned === undefined) continue;
    const { plan } = planned;
    for (const each of plan.operations) used.add(each);
    const choice = entitySetNames(derivation, plan.schema, plan.segments, undefined);
    const draft = { ...planned, name: derivation.claimResourceName(choice, plan.at.pointer) };
    const place = placeOfSet(draft);
    const below = findPathNavigations(search, place === undefined ? [] : [place]);
    found.drafts.push(draft);
    found.navigations.push(...below.navigations);
    found.places.push(...below.places);
  }
  return found;
}

function byPathLength(a: DocumentOperation, b: DocumentOperation): number {
  return a.segments.length - b.segments.length;
}
