import type { Row } from '../../contract/row.ts';
import type { LinkChange } from '../../model/link-change.ts';
import type { ReferenceOperation } from '../../model/operation.ts';
import type { ReferentialConstraints } from '../../model/referential-constraints.ts';
import type { WrittenLink } from '../input/entity-input.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import { demandEntity, missingEntity, operationArguments } from '../load/load.ts';
import type { EntityResource, Link } from '../resource/resource.ts';
import { changeEntity } from './change-entity.ts';
import { type Changing, unconditional } from './compensation.ts';
import { linkedValues } from './linked-values.ts';
import { demandPrecondition } from './precondition.ts';

interface ChangedLink extends Link {
  /** The owner was created just now: what is known of it is all there is. */
  readonly isNew?: boolean;
}

/** Has the upstream link an entity to a related one, which has to be there; `written` is what leads to it. */
export async function makeLink(
  site: Changing,
  link: ChangedLink,
  change: LinkChange,
  related: EntityResource,
  written: WrittenLink,
): Promise<void> {
  const { key } = related.entityType;
  switch (change.kind) {
    case 'operation': {
      const known = await linkedValues(site, related, key, written);
      return callReference(site, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const names = change.keys.map((each) => each.related);
      const found = await linkedValues(site, related, names, written);
      const values = change.keys.map((each) => [each.own, found[each.related] ?? null] as const);
      return setValues(site, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      const owned = await ownedValues(site, link, change.keys);
      const values = change.keys.map((each) => [each.related, owned[each.own] ?? null] as const);
      return setValues(site, related, change, Object.fromEntries(values));
    }
  }
}

/** The owner must be there; one that was just created is. */
async function ownedValues(
  site: Changing,
  { owner, isNew = false }: ChangedLink,
  keys: readonly ReferentialConstraints[],
): Promise<Row> {
  if (isNew) return owner.known;
  const properties = keys.map(({ own }) => own);
  return (await demandEntity(site, owner, { properties, dynamic: false })).data;
}

/** Has the upstream take the link to a related entity away. */
export async function breakLink(
  site: Changing,
  link: Link,
  change: LinkChange,
  related: EntityResource,
): Promise<void> {
  switch (change.kind) {
    case 'operation': {
      const wanted = { properties: related.entityType.key, dynamic: false };
      const known = (await demandEntity(site, related, wanted)).data;
      return callReference(site, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const values = change.keys.map(({ own }) => [own, null] as const);
      return setValues(site, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      await demandEntity(site, related, NOTHING);
      const values = change.keys.map((each) => [each.related, null] as const);
      return setValues(site, related, change, Object.fromEntries(values));
    }
  }
}

/** Of the entity that is changed, the conditions may say in which state it must be; of the other one it says nothing. */
export async function setValues(
  site: Changing,
  entity: EntityResource,
  { kind, update }: Exclude<LinkChange, { kind: 'operation' }>,
  values: Row,
): Promise<void> {
  const change = { method: 'PATCH', entityType: entity.type, values } as const;
  await changeEntity(kind === 'owner' ? site : unconditional(site), entity, update, change, NOTHING);
}

async function callReference(
  site: Changing,
  { owner }: Link,
  operation: ReferenceOperation,
  related: EntityResource,
): Promise<void> {
  await demandPrecondition(site, owner);
  const args = await operationArguments(site, operation, { ...related, parent: owner });
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
  await site.service.source.call(call, site.context);
}
