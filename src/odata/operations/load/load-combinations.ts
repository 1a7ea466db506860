import type { Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntitySet, Model } from '../../../model/edm.ts';
import type { EntityReads } from '../../query/bind/related-reads.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import { callFor } from './attach-calls.ts';
import { attachRelated, propertiesFor } from './attach-related.ts';
import { wantedNames } from './declared-reads.ts';
import { type EqualParts, textOf } from './equal-parts.ts';
import type { Loading, Wanted } from './loading.ts';
import { entityOf, loadAll } from './related-rows.ts';

/** The most combinations that a query is run over: they grow with the product of the sets. */
const MOST_COMBINATIONS = 100_000;

/** One of the sets, and what is read of its entities. */
export interface CombinedSet {
  readonly set: EntitySet;
  readonly reads: EntityReads | undefined;
  /** What is wanted of them where they are expanded. */
  readonly expanded: Wanted | undefined;
}

/** The entities of all sets in all combinations that the equal properties leave; each set is read once. */
export async function loadCombinations(
  loading: Loading,
  sets: readonly CombinedSet[],
  equal: readonly EqualParts[],
): Promise<readonly Row[]> {
  const loaded = await Promise.all(sets.map((each) => loadSet(loading, each)));
  return sets.reduce<readonly Row[]>(
    (before, { set }, index) => {
      const joined = new Set(sets.slice(0, index).map((each) => each.set.name));
      return combine(before, set.name, loaded[index] ?? [], pairsOf(set.name, joined, equal));
    },
    [{}],
  );
}

async function loadSet(loading: Loading, { set, reads, expanded }: CombinedSet): Promise<readonly Row[]> {
  const { model } = loading.service;
  const collection = collectionOf(set);
  const data = await loadAll(loading, collection, wantedOf(model, set, reads, expanded));
  if (reads === undefined) return data;
  const entities = data.map((row) => entityOf(collection, row));
  const rows = reads.related.size === 0 ? data : await attachRelated(loading, entities, reads.related);
  const places = new Map(rows.map((row) => [row, entityOf(collection, row)]));
  const called = await callFor(loading, places, [...(reads.calls?.values() ?? [])]);
  return rows.map((row) => called.get(row) ?? row);
}

function wantedOf(
  model: Model,
  { entityType }: EntitySet,
  reads: EntityReads | undefined,
  expanded: Wanted | undefined,
): Wanted {
  const behind = reads === undefined ? [] : propertiesFor(entityType, reads.related);
  const names = [...entityType.key, ...(reads?.properties ?? []), ...behind, ...(expanded?.properties ?? [])];
  const { properties, dynamic } = wantedNames(model, entityType, names);
  return { properties, dynamic: dynamic || expanded?.dynamic === true };
}

/** A property of the set, and the one of a set before it that it is equal to. */
interface Pair {
  readonly own: string;
  readonly other: { readonly set: string; readonly property: string };
}

function pairsOf(name: string, before: ReadonlySet<string>, equal: readonly EqualParts[]): readonly Pair[] {
  return equal.flatMap(([left, right]): readonly Pair[] => {
    if (left.set === name && before.has(right.set)) return [{ own: left.property, other: right }];
    if (right.set === name && before.has(left.set)) return [{ own: right.property, other: left }];
    return [];
  });
}

function combine(
  before: readonly Row[],
  name: string,
  rows: readonly Row[],
  pairs: readonly Pair[],
): readonly Row[] {
  const found = Map.groupBy(rows, (row) => textsOf(pairs.map(({ own }) => row[own])));
  const combined: Row[] = [];
  for (const combination of before) {
    const wanted = pairs.map(({ other }) => (combination[other.set] as Row)[other.property]);
    const matching = found.get(textsOf(wanted)) ?? [];
    if (combined.length + matching.length > MOST_COMBINATIONS) throw tooManyCombinations();
    for (const row of matching) combined.push({ ...combination, [name]: row });
  }
  return combined;
}

function textsOf(values: readonly Parameters<typeof textOf>[0][]): string {
  return JSON.stringify(values.map(textOf));
}

function tooManyCombinations(): GatewayError {
  const message = `$crossjoin: expected at most ${MOST_COMBINATIONS} combinations, found more; conditions such as A/x eq B/y leave fewer.`;
  return new GatewayError('BadRequest', message);
}
