import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { takenProperties } from '../../model/sent-type.ts';
import type { EntityInput } from '../input/entity-input.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import { loadEntity, missingEntity, operationArguments } from '../load/load.ts';
import type { Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { boundInput } from './bound-input.ts';
import { type Changing, carryOut } from './compensation.ts';
import { completed, createdRepresentation } from './created-representation.ts';
import { insertAmong, ownKeys } from './deep-insert.ts';
import { extendedInput, sentValues } from './extended-input.ts';
import { withOmitted } from './omitted-values.ts';
import { type DeepInput, planDeepInput } from './planned-insertion.ts';

/** An upstream whose PUT creates what is not there is asked first: who may change need not be able to create. */
export async function isNew(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
): Promise<boolean> {
  if (operation.inserts !== true || entity.origin.kind !== 'operation') return false;
  if (entity.origin.from !== 'itself' || entity.isCast) return false;
  return (await loadEntity(site, entity, NOTHING)) === undefined;
}

/**
 * Refuses to create an entity at a place where there is none (Part 1, 11.4.4) to whoever may not, and where If-Match says
 * that it is to be there (8.2.4).
 */
export function demandNew({ service, context, conditions }: Changing, { resource }: EntityResource): void {
  if (conditions['if-match'] !== undefined) throw prevented();
  service.source.permit?.(resource, 'Insert', context);
}

/** Plans an entity that is new at its place, with what else its input has; its key is that of the place. */
export async function planNewEntity(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  input: EntityInput,
): Promise<DeepInput> {
  const { sent } = operation;
  const { type } = entity;
  const isSettable = (of: EntityType, name: string) => isTaken(of, operation, name);
  const bound = await boundInput({ site, isSettable, sent }, input);
  const whole = withOmitted(operation, bound);
  const { nested, bindings } = whole;
  const key = Object.entries(entity.known).filter(([name]) => isSettable(type, name));
  const keyed = { ...extendedInput(whole, { values: Object.fromEntries(key), nested }), bindings };
  return planDeepInput(site, entity, keyed);
}

/** Creates what was planned; all that is known of the entity then. */
export async function insertNewEntity(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  planned: DeepInput,
  wanted: Wanted,
): Promise<Row> {
  return carryOut(site, (done) =>
    insertAmong(site, planned, done, (values) => {
      const { body } = planned;
      const whole = extendedInput(body, { values, nested: body.nested });
      return putNew(site, entity, operation, { ...planned, body: whole }, wanted);
    }),
  );
}

/** Whether input that creates may have the property: even what nobody can change later. */
function isTaken(type: EntityType, { nonUpdatableProperties, sent }: UpdateOperation, name: string): boolean {
  const property = takenProperties(type, sent).get(name);
  return property?.computed === false && nonUpdatableProperties?.includes(name) !== true;
}

/** Has the upstream create the entity; all that is known of it then. */
async function putNew(
  { service, context }: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  { body, ...others }: DeepInput,
  wanted: Wanted,
): Promise<EntityResource> {
  const { resource, entityType, known } = entity;
  const args = await operationArguments({ service, context }, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  const needed = ownKeys(entity.type, others);
  const properties = [...new Set([...wanted.properties, ...needed])];
  const change = { resource, entityType, operation, arguments: args };
  const update = {
    ...change,
    ...wanted,
    properties,
    values: sentValues(entity.type, body),
  };
  const answered = await service.source.update(update, context);
  const row = createdRepresentation(answered, properties, body.values);
  return { ...entity, known: { ...completed(needed, row, body.values), ...known } };
}

function prevented(): GatewayError {
  const message = 'If-Match: there is no entity that could be in the state that the request is meant for.';
  return new GatewayError('PreconditionFailed', message);
}
