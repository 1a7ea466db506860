import type { Arguments, JointLists } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { mapped } from '../../core/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ListOperation, ListOwners, OperationParameter } from '../../model/operation.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import { collectionOf } from '../resource/navigation-source.ts';
import type { FixedArguments } from '../resource/read-needs.ts';
import type { CollectionResource } from '../resource/resource.ts';

/** The error for a read of entities that nothing leads to but a filter. */
function unfixed(
  { entityType, url }: CollectionResource,
  fixed: readonly OperationParameter[],
): GatewayError {
  const properties = fixed.map(({ property }) => property);
  const example = properties.map((name) => `${name} eq ${sample(entityType, name)}`).join(' and ');
  const message = `${decodeURIComponent(url)}: expected a $filter that fixes ${properties.join(' and ')}, such as $filter=${example}`;
  return new GatewayError('BadRequest', message, { target: '$filter' });
}

function sample({ structuralProperties }: EntityType, property: string): string {
  const name = structuralProperties.get(property)?.type.name ?? '';
  return /Int|Decimal|Double|Single|Byte/.test(name) ? '1' : name === 'Edm.String' ? "'x'" : '…';
}

/** Loads all entities of a collection. */
type LoadRows = (
  loading: LoadContext,
  collection: CollectionResource,
  wanted: LoadRequest,
) => Promise<{ readonly data: Rows }>;

/**
 * The lists that the parameters of a list leave, which nothing but a query can fix: those that the query fixes, else that
 * of each entity of the set that has them.
 */
export async function jointLists(
  loading: LoadContext,
  collection: CollectionResource,
  { fixed: parameters = [], over }: ListOperation,
  fixed: FixedArguments,
  load: LoadRows,
): Promise<JointLists> {
  if (fixed !== undefined) return { each: fixed, missing: over === undefined ? 'error' : 'empty' };
  const owners = over && collectionOver(loading, over);
  if (over === undefined || owners === undefined) throw unfixed(collection, parameters);
  const properties = over.parameters.map(({ property }) => property);
  const { data } = await load(loading, owners, { properties, dynamic: false });
  return { each: await argumentsOf(loading, data, over), missing: 'lenient' };
}

function collectionOver({ service }: LoadContext, { entitySet }: ListOwners): CollectionResource | undefined {
  const owners = service.model.entitySets.get(entitySet);
  return owners && collectionOf(owners);
}

/** The arguments of each owner's list, each once. */
async function argumentsOf(
  { context: { budget } }: LoadContext,
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
