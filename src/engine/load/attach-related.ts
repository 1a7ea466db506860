import type { Row } from '../../contract/row.ts';
import { mapped } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { RelatedReads } from '../scope/reads.ts';
import { wantedNames } from './declared-reads.ts';
import { attachRelatedCalls } from './related-calls.ts';
import { relatedEntities, replaced } from './related-entities.ts';
import { loadRelated, propertiesBehind } from './related-rows.ts';

/** What options read of related entities, by the name of the navigation property. */
export type Reads = ReadonlyMap<string, RelatedReads>;

/** The properties that the related entities are found by. */
export function propertiesFor(type: EntityType, related: Reads): readonly string[] {
  return [...related.values()].flatMap(({ navigation }) => propertiesBehind(type, navigation));
}

/**
 * The entities as rows that have what options read of the related entities, under the names of the
 * navigation properties: `$filter=Author/Name eq 'x'` is decided before anything is left out.
 */
export async function attachRelated(
  loading: Loading,
  entities: readonly EntityResource[],
  related: Reads,
): Promise<readonly Row[]> {
  const columns = await Promise.all(
    [...related.values()].map((reads) => attachOne(loading, entities, reads)),
  );
  const { budget } = loading.context;
  const withAdded = ({ known }: EntityResource, index: number): Row => {
    const added = [...related.keys()].map(
      (name, column) => [name, columns[column]?.[index] ?? null] as const,
    );
    return { ...known, ...Object.fromEntries(added) };
  };
  return budget.run(mapped(entities, budget, withAdded));
}

async function attachOne(
  loading: Loading,
  owners: readonly EntityResource[],
  reads: RelatedReads,
): Promise<readonly (readonly Row[] | Row | null)[]> {
  const { navigation, related } = reads;
  const found = await loadRelated(loading, owners, navigation, wantedOf(reads));
  const calls = [...(reads.calls?.values() ?? [])];
  const called = await attachRelatedCalls(loading, owners, navigation, found, calls);
  const whole = related.size === 0 ? called : await attachDeeper(loading, owners, called, reads);
  if (navigation.collection) return whole;
  const { budget } = loading.context;
  return budget.run(mapped(whole, budget, ([row]) => row ?? null));
}

function wantedOf({ navigation, properties, related, calls }: RelatedReads): Wanted {
  const type = navigation.entityType;
  const key = calls?.size ? type.key : [];
  return wantedNames(type, [...key, ...properties, ...propertiesFor(type, related)]);
}

type DeeperReads = Pick<RelatedReads, 'navigation'> & { readonly related: Reads };

/** What is related to the related entities is loaded for all of them together. */
export async function attachDeeper(
  loading: Loading,
  owners: readonly EntityResource[],
  found: readonly (readonly Row[])[],
  { navigation, related }: DeeperReads,
): Promise<readonly (readonly Row[])[]> {
  const { budget } = loading.context;
  // Rows that several owners share, as those behind long paths are, are the same entities.
  const entities = await relatedEntities(loading, owners, navigation, found);
  const attached = await attachRelated(loading, [...entities.values()], related);
  const whole = new Map<Row, Row>();
  const note = (row: Row, index: number): void => {
    whole.set(row, attached[index] ?? row);
  };
  await budget.run(mapped(entities.keys(), budget, note));
  return budget.run(replaced(budget, found, whole));
}
