import type { Row } from '../../../contract/entity-source.ts';
import type { WrittenLink } from '../../../engine/change/entity-input.ts';
import { NOTHING } from '../../../engine/load/demand-owner.ts';
import { demandEntity, missingEntity, operationArguments } from '../../../engine/load/load.ts';
import type { Loading } from '../../../engine/resource/loading.ts';
import type { EntityResource, Link } from '../../../engine/resource/resource.ts';
import type { EqualProperties } from '../../../model/equal-properties.ts';
import type { LinkChange } from '../../../model/link-change.ts';
import type { ReferenceOperation } from '../../../model/operation.ts';
import { linkedValues } from '../bind/referenced-entity.ts';
import { demandPrecondition } from '../entity-tag.ts';
import { changeEntity } from './change-entity.ts';
import { type ChangeSite, unconditional } from './undo-changes.ts';

interface ChangedLink extends Link {
  /** The owner was created just now: what is known of it is all there is. */
  readonly isNew?: boolean;
}

/** Has the upstream link an entity to a related one, which has to be there; `written` is what leads to it. */
export async function makeLink(
  { service, request }: ChangeSite,
  link: ChangedLink,
  change: LinkChange,
  related: EntityResource,
  written: WrittenLink,
): Promise<void> {
  const loading = { service, context: request };
  const { key } = related.entityType;
  switch (change.kind) {
    case 'operation': {
      const known = await linkedValues(loading, related, key, written);
      return callReference({ service, request }, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const names = change.keys.map((each) => each.related);
      const found = await linkedValues(loading, related, names, written);
      const values = change.keys.map((each) => [each.own, found[each.related] ?? null] as const);
      return setValues({ service, request }, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      const owned = await ownedValues({ service, request }, link, change.keys);
      const values = change.keys.map((each) => [each.related, owned[each.own] ?? null] as const);
      return setValues({ service, request }, related, change, Object.fromEntries(values));
    }
  }
}

/** The owner must be there; one that was just created is. */
async function ownedValues(
  { service, request }: ChangeSite,
  { owner, isNew = false }: ChangedLink,
  keys: readonly EqualProperties[],
): Promise<Row> {
  if (isNew) return owner.known;
  const properties = keys.map(({ own }) => own);
  return (await demandEntity({ service, context: request }, owner, { properties, dynamic: false })).data;
}

/** Has the upstream take the link to a related entity away. */
export async function breakLink(
  { service, request }: ChangeSite,
  link: Link,
  change: LinkChange,
  related: EntityResource,
): Promise<void> {
  const loading = { service, context: request };
  switch (change.kind) {
    case 'operation': {
      const wanted = { properties: related.entityType.key, dynamic: false };
      const known = (await demandEntity(loading, related, wanted)).data;
      return callReference({ service, request }, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const values = change.keys.map(({ own }) => [own, null] as const);
      return setValues({ service, request }, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      await demandEntity(loading, related, NOTHING);
      const values = change.keys.map((each) => [each.related, null] as const);
      return setValues({ service, request }, related, change, Object.fromEntries(values));
    }
  }
}

/** Of the entity that is changed, the request may say in which state it must be; of the other one it says nothing. */
export async function setValues(
  { service, request }: ChangeSite,
  entity: EntityResource,
  { kind, update }: Exclude<LinkChange, { kind: 'operation' }>,
  values: Row,
): Promise<void> {
  const sent = kind === 'owner' ? request : unconditional({ service, request }).request;
  const change = { method: 'PATCH', entityType: entity.cast ?? entity.entityType, values } as const;
  await changeEntity(service, sent, entity, update, change, NOTHING);
}

async function callReference(
  { service, request }: ChangeSite,
  { owner }: Link,
  operation: ReferenceOperation,
  related: EntityResource,
): Promise<void> {
  const loading: Loading = { service, context: request };
  await demandPrecondition(loading, owner, request);
  const args = await operationArguments(loading, operation, { ...related, parent: owner });
  if (args === undefined) throw missingEntity(related);
  const members = operation.body.map(({ upstreamName, property }) => {
    return [upstreamName, related.known[property] ?? null] as const;
  });
  const call = {
    kind: 'reference',
    resource: owner.resource,
    operation,
    arguments: args,
    body: members.length === 0 ? undefined : Object.fromEntries(members),
    returns: undefined,
    wrappedIn: undefined,
  } as const;
  await service.source.call(call, request);
}
