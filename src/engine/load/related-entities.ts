import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row } from '../../contract/row.ts';
import type { Work } from '../../contract/work.ts';
import type { NavigationProperty } from '../../model/edm.ts';
import type { Loading } from '../resource/loading.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import { entityOf, type Related } from './related-rows.ts';

/** Where the related entities of each of the owners are; a row that several of them have is there once. */
export function relatedEntities(
  { service: { model }, context: { budget } }: Loading,
  owners: readonly EntityResource[],
  navigation: NavigationProperty,
  found: readonly Related[],
): Promise<ReadonlyMap<Row, EntityResource>> {
  return budget.run(collected());

  function* collected(): Work<ReadonlyMap<Row, EntityResource>> {
    const entities = new Map<Row, EntityResource>();
    for (const [index, rows] of found.entries()) {
      const owner = owners[index];
      if (owner === undefined || rows.length === 0) continue;
      const resource = relatedResource(model, owner, navigation);
      for (const row of rows) {
        entities.set(row, entityOf(resource, row));
        if (budget.isDue()) yield;
      }
    }
    return entities;
  }
}

/**
 * Related entities with other rows in the place of some. Each owner has lists of its own then, whose rows are
 * charged.
 */
export function* replaced(
  budget: RequestBudget,
  found: readonly Related[],
  others: ReadonlyMap<Row, Row>,
): Work<readonly Related[]> {
  const lists: Related[] = [];
  for (const rows of found) {
    budget.chargeRows(rows.length);
    lists.push(rows.map((row) => others.get(row) ?? row));
    if (budget.isDue()) yield;
  }
  return lists;
}
