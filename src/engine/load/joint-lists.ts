import type { Arguments, JointLists } from '../../contract/entity-source.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import { mapped } from '../../contract/work.ts';
import type { ListOperation, ListOwners } from '../../model/operation.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { CollectionResource } from '../resource/resource.ts';
import { unfixed } from './fixed-arguments.ts';

/** Loads all entities of a collection. */
type LoadRows = (
  loading: Loading,
  collection: CollectionResource,
  wanted: Wanted,
) => Promise<{ readonly data: Rows }>;

/**
 * The lists that a list's own parameters leave: those that the query fixes, else that of each entity of the set that
 * has them. Undefined where it has no such parameters.
 */
export async function jointLists(
  loading: Loading,
  collection: CollectionResource,
  { fixed: parameters, over }: ListOperation,
  { fixed }: Wanted,
  load: LoadRows,
): Promise<JointLists | undefined> {
  if (parameters === undefined) return undefined;
  if (fixed !== undefined) return { each: fixed, missing: over === undefined ? 'error' : 'empty' };
  const owners = over && collectionOver(loading, over);
  if (over === undefined || owners === undefined) throw unfixed(collection, parameters);
  const properties = over.parameters.map(({ property }) => property);
  const { data } = await load(loading, owners, { properties, dynamic: false });
  return { each: await argumentsOf(loading, data, over), missing: 'lenient' };
}

function collectionOver({ service }: Loading, { entitySet }: ListOwners): CollectionResource | undefined {
  const owners = service.model.entitySets.get(entitySet);
  return owners && collectionOf(owners);
}

/** What the list of each owner is asked for by, each once. */
async function argumentsOf(
  { context: { budget } }: Loading,
  owners: Rows,
  { parameters }: ListOwners,
): Promise<readonly Arguments[]> {
  const all = await budget.run(mapped(owners, budget, (owner) => argumentsFor(owner, parameters)));
  const distinct = new Map(all.map((each) => [JSON.stringify(Object.values(each).map(String)), each]));
  return [...distinct.values()].filter((each) => !Object.values(each).includes(null));
}

function argumentsFor(owner: Row, parameters: ListOwners['parameters']): Arguments {
  const values = parameters.map(({ name, property }): [string, Value] => [name, owner[property] ?? null]);
  return Object.fromEntries(values);
}
