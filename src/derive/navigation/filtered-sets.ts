import { isResourceName } from '../../model/names.ts';
import { type DocumentNode, member, text } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { KEY_OF_ROWS } from '../edm-types/row-key.ts';
import type { Derivation } from '../operations/derivation.ts';
import { byPathLength, type DocumentOperation } from '../operations/document-operation.ts';
import { entitySetNames, type SetDraft, setPlace } from '../sets/entity-set.ts';
import {
  type FilteredSetPlan,
  filteredSetPlan,
  flatSetPlan,
  hasOwnParameters,
} from '../sets/filtered-set-plan.ts';
import { fillParameters, type Place } from '../sets/model-operation.ts';
import {
  findPathNavigations,
  type NavigationSearch,
  type PathNavigation,
  type PathNavigations,
} from './path-navigation.ts';

interface FilteredSets {
  readonly drafts: readonly SetDraft[];
  readonly navigations: readonly PathNavigation[];
  readonly places: readonly Place[];
}

/**
 * Sets of the lists without another use in the model, and the resources below their entities; the shortest
 * paths come first.
 */
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
    for (const each of plan.operations) if (!isAlsoFunction(planned, each)) used.add(each);
    const named = planned.entity.keyRule === KEY_OF_ROWS ? (plan.list?.item ?? plan.schema) : plan.schema;
    const choice = entitySetNames(derivation, named, plan.segments, undefined);
    const draft = { ...planned, name: derivation.claimResourceName(choice, plan.at.pointer) };
    const place = planned.entity.keyRule === KEY_OF_ROWS ? undefined : setPlace(draft);
    const below = findPathNavigations(search, place === undefined ? [] : [place]);
    found.drafts.push(draft);
    found.navigations.push(...below.navigations);
    found.places.push(...below.places);
  }
  return found;
}

/** Whether the list of rows without a key is served as a function, too. */
function isAlsoFunction({ entity }: FilteredSetPlan, operation: DocumentOperation): boolean {
  return entity.keyRule === KEY_OF_ROWS && hasOwnParameters(operation, entity.properties);
}

/**
 * Sets of the contained entities of all entities of a set, for clients that support entity sets only. Made
 * for entities without another set, if their containers can be listed.
 */
export function flatSets(
  search: NavigationSearch,
  owners: readonly SetDraft[],
  { navigations }: PathNavigations,
): readonly SetDraft[] {
  const byName = new Map(owners.map((draft) => [draft.name, draft]));
  return navigations.flatMap((navigation) => {
    const owner = byName.get(navigation.place.path.replace(/\/[^/]*$/, ''));
    return owner === undefined ? [] : (flatSet(search, owner, navigation) ?? []);
  });
}

function flatSet(
  search: NavigationSearch,
  owner: SetDraft,
  { containsTarget, related, at }: PathNavigation,
): SetDraft | undefined {
  const declared = member(member(at.node, 'x-odata'), 'entitySet');
  // Authors of strict documents name their entity sets explicitly.
  const isWanted = declared === undefined ? !search.derivation.source.strict : declared.value !== false;
  const isOfOwner = containsTarget && !search.inSets.has(related.schema.identity);
  if (!isWanted || !isOfOwner || owner.plan.list === undefined) return undefined;
  const place = setPlace(owner);
  const parameters = place && fillParameters(place, at);
  if (place === undefined || parameters === undefined) return undefined;
  const over = { entitySet: owner.name, parameters };
  const planned = flatSetPlan(search, at, place.entity, over);
  return planned && { ...planned, name: nameOf(search.derivation, at, planned, declared) };
}

function nameOf(
  derivation: Derivation,
  { node }: DocumentOperation,
  { plan }: FilteredSetPlan,
  said: DocumentNode | undefined,
): string {
  const [first, ...others] = entitySetNames(derivation, plan.schema, plan.segments, undefined);
  const name = text(said);
  if (said === undefined) return derivation.claimResourceName([first, ...others], node.pointer);
  if (name !== undefined && isResourceName(name))
    return derivation.claimResourceName([name, first, ...others], said.pointer);
  const message = `${quote(said.value)} cannot be the name of an entity set`;
  derivation.source.report('error', said.pointer, message);
  return derivation.claimResourceName([first, ...others], node.pointer);
}
