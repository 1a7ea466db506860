import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import { REQUEST_LIMITS } from '../../core/request-limits.ts';
import { carryOut } from '../../engine/change/compensation.ts';
import { readEntityInput } from '../../engine/input/read-input.ts';
import { entityTag } from '../../engine/load/entity-state.ts';
import { NOTHING } from '../../engine/load/load.ts';
import { entityByKey } from '../../engine/resource/navigation-source.ts';
import type { CollectionResource } from '../../engine/resource/resource.ts';
import { etagProperty, keyProperties } from '../../model/edm.ts';
import type { Operation } from '../../model/operation.ts';
import {
  assertFew,
  type GraphQLContext,
  type Input,
  isGiven,
  type SelectionDependencies,
} from '../context/graphql-context.ts';
import { prepareList, runList, type Selection } from '../query/read.ts';
import { amount, conditionOptions } from '../query/where.ts';
import type { NamedInput } from './input-object.ts';
import {
  byInputNames,
  changeOne,
  changing,
  createShown,
  deleteOne,
  type InsertRequest,
  type UpdateRequest,
} from './perform-change.ts';

/** Creates all entities, or none: what was created before a failure is deleted again. */
export async function createMany(
  context: GraphQLContext,
  request: InsertRequest,
  inputs: readonly NamedInput[],
  below: Selection,
): Promise<readonly (Row | null)[]> {
  claimChanges(context, 'input', inputs.length);
  for (const input of inputs) await assertReadable(context, request, input);
  return allOrNone(context, async (within) => {
    const rows: (Row | null)[] = [];
    for (const input of inputs) rows.push(await createShown(within, request, input, below));
    return rows;
  });
}

/** Rejects mistakes in an input before anything is created; what a link gives is not known yet. */
async function assertReadable(
  { service }: GraphQLContext,
  { collection, operation: { sent, verbatim } }: InsertRequest,
  input: NamedInput,
): Promise<void> {
  if (verbatim || collection.link !== undefined) return;
  await byInputNames(input, async () =>
    readEntityInput(service.model, collection.type, input.object, { kind: 'insert', sent }),
  );
}

/** The entities to change, and how many there may be. */
export interface ManyRequest {
  readonly collection: CollectionResource;
  readonly dependencies: SelectionDependencies;
  readonly args: Input;
}

/** Changes all entities that meet the conditions, or none; the keys of those that are changed. */
export async function updateMany(
  context: GraphQLContext,
  many: ManyRequest,
  request: UpdateRequest,
  input: NamedInput,
): Promise<readonly Row[]> {
  const { collection, args } = many;
  const { sent } = request.operation;
  await byInputNames(input, async () =>
    readEntityInput(context.service.model, collection.type, input.object, { kind: 'update', sent }),
  );
  const found = await entitiesOf(context, many);
  if (args['dryRun'] === true) return found;
  claimChanges(context, 'where', found.length);
  return allOrNone(context, async (within) => {
    for (const row of found) {
      const ifMatch = tagOf(collection, row, request.operation);
      await changeOne(
        within,
        entityByKey(collection, keyIn(collection, row)),
        { ...request, ifMatch },
        input,
        NOTHING,
      );
    }
    return found;
  });
}

/** Deletes all entities that meet the conditions, or none; the keys of those that are deleted. */
export async function deleteMany(
  context: GraphQLContext,
  many: ManyRequest,
  operation: Operation,
): Promise<readonly Row[]> {
  const { collection, args } = many;
  const found = await entitiesOf(context, many);
  if (args['dryRun'] === true) return found;
  claimChanges(context, 'where', found.length);
  return allOrNone(context, async (within) => {
    for (const row of found) {
      const entity = entityByKey(collection, keyIn(collection, row));
      await deleteOne(within, entity, operation, tagOf(collection, row, operation));
    }
    return found;
  });
}

/** Rejects changes of more entities than one document may change in groups. */
function claimChanges(context: GraphQLContext, argument: string, count: number): void {
  const { progress } = context;
  assertFew(context, argument, progress.changed + count);
  progress.changed += count;
}

/** Makes a group of changes; if one fails, the others are undone, and the error says which could not be. */
function allOrNone<Result>(
  context: GraphQLContext,
  change: (within: GraphQLContext) => Promise<Result>,
): Promise<Result> {
  return carryOut(changing(context), (done) => change({ ...context, done }));
}

/** The keys, and the properties with entity tags, of the entities that meet the conditions. */
async function entitiesOf(
  context: GraphQLContext,
  { collection, dependencies, args }: ManyRequest,
): Promise<readonly Row[]> {
  const { requests } = context.service.limits.batch;
  const { entityType } = collection;
  const own = isGiven(args['limit']) ? amount('limit', args['limit']) : requests;
  const most = Math.min(own, requests);
  const etag = etagProperty(entityType);
  const names = [...keyProperties(entityType).map(({ name }) => name), ...(etag === undefined ? [] : [etag])];
  const options = {
    ...conditionOptions(dependencies, entityType, args),
    select: names.map((name) => ({ path: [name], options: undefined, position: 0 })),
    top: most + 1,
  };
  const rows = await runList(context, collection, prepareList(context.service, collection, options));
  if (rows.length <= most) return rows;
  const expected = `limit: expected at most ${most} entities that meet the conditions`;
  const { variable } = REQUEST_LIMITS.batch.requests;
  throw own < requests
    ? new GatewayError('BadRequest', `${expected}, found more.`, { target: 'limit' })
    : new GatewayError('BadRequest', `${expected} (${variable}), found more.`, {
        target: 'limit',
        limit: variable,
      });
}

function keyIn({ entityType: { key } }: CollectionResource, row: Row): Row {
  return Object.fromEntries(key.map((name) => [name, row[name] ?? null]));
}

/** The state that was found: an entity that has changed in between is not changed again. */
function tagOf(
  { entityType }: CollectionResource,
  row: Row,
  { precondition }: Operation,
): string | undefined {
  return entityTag(row, etagProperty(entityType)) ?? (precondition?.required === true ? '*' : undefined);
}
