import type { Arguments, JointLists } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Rows, Value } from '../../contract/row.ts';
import { mapped } from '../../contract/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ListOperation, ListOwners, Operation, OperationParameter } from '../../model/operation.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import { collectionOf } from '../resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';

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
  loading: Loading,
  collection: CollectionResource,
  wanted: Wanted,
) => Promise<{ readonly data: Rows }>;

/**
 * The lists that the parameters of a list leave, which nothing but a query can fix: those that the query fixes, else that
 * of each entity of the set that has them.
 */
export async function jointLists(
  loading: Loading,
  collection: CollectionResource,
  { fixed: parameters = [], over }: ListOperation,
  { fixed }: Wanted,
  load: LoadRows,
): Promise<JointLists> {
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

/** Reads properties of an entity as they are now. */
type ReadProperties = (entity: EntityResource, properties: readonly string[]) => Promise<Row>;

/**
 * The values of an operation's parameters: properties of the entities along the resource path, which ends
 * with `last`. What the URL does not say is read. Undefined where one of them is null.
 */
export async function argumentsAlong(
  { parameters }: Operation,
  last: EntityResource | undefined,
  read: ReadProperties,
): Promise<Arguments | undefined> {
  const values: Record<string, Value> = {};
  for (const [up, wanted] of Map.groupBy(parameters, (parameter) => parameter.up ?? 0)) {
    const properties = wanted.map(({ property }) => property);
    const row = await propertiesOf(ancestor(last, up), properties, read);
    for (const { name, property } of wanted) {
      const value = row[property] ?? null;
      if (value === null) return undefined;
      values[name] = value;
    }
  }
  return values;
}

function ancestor(entity: EntityResource | undefined, up: number): EntityResource | undefined {
  let found = entity;
  for (let step = 0; step < up; step += 1) found = found?.parent;
  return found;
}

/** The properties of an entity of the path: from the URL where it says them all, else read. */
async function propertiesOf(
  entity: EntityResource | undefined,
  properties: readonly string[],
  read: ReadProperties,
): Promise<Row> {
  if (entity === undefined) throw new Error(`No entity of the path fills parameters with ${properties}`);
  const { known } = entity;
  return properties.every((property) => known[property] !== undefined) ? known : read(entity, properties);
}
