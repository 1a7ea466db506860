import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { NavigationProperty } from '../../model/edm.ts';
import {
  addedLink,
  type LinkChange,
  type ReferentialConstraints,
  removedLink,
} from '../../model/link-change.ts';
import type { ReferenceOperation } from '../../model/operation.ts';
import type { WrittenLink } from '../input/entity-input.ts';
import { quote } from '../input/mistakes.ts';
import { NOTHING, requireArguments, requireEntity } from '../load/load.ts';
import { collectionOf, entityByKey } from '../resource/navigation-source.ts';
import { type EntityResource, type Link, notImplemented } from '../resource/resource.ts';
import { linkedValues } from './bound-input.ts';
import { changeEntity } from './change-entity.ts';
import { type ChangeContext, type CompletedChange, unconditional } from './compensation.ts';
import { assertPrecondition } from './precondition.ts';

/** A link that can be made as soon as its owner is there. */
export interface PlannedLink {
  readonly navigation: NavigationProperty;
  readonly change: LinkChange;
  readonly related: EntityResource;
  readonly written: WrittenLink;
  /** The current values that link the related entity. */
  readonly before: Row;
  /** The entity that the owner is linked to before, where it can have one only. */
  readonly previous?: EntityResource | undefined;
}

/** Checks a link to an entity that is there already. NotImplemented where the upstream has nothing to make it by. */
export async function planLink(
  site: ChangeContext,
  owner: EntityResource,
  navigation: NavigationProperty,
  written: WrittenLink,
): Promise<PlannedLink> {
  const { service, context } = site;
  const change = addedLink(linkPlace({ owner, navigation }));
  const type = navigation.entityType;
  if (change === undefined) {
    throw notImplemented(`"${navigation.name}" in a body`, navigation.name);
  }
  const related = site.entityOf(written, type);
  service.source.permit?.((change.kind === 'related' ? related : owner).resource, 'Update', context);
  const names = change.kind === 'related' ? change.keys.map((key) => key.related) : type.key;
  const before = await linkedValues(site, related, names, written);
  return { navigation, change, related, written, before };
}

function linkPlace({ owner, navigation }: Link) {
  return { type: owner.type, update: owner.update, navigation };
}

/** Refuses to link an entity twice in one collection, as far as the links say which one they lead to. */
export function assertLinkedOnce(links: readonly PlannedLink[]): void {
  const linked = new Set<string>();
  for (const { navigation, related, before, written } of links) {
    const known = { ...related.known, ...before };
    const { key } = related.entityType;
    const name = JSON.stringify([navigation.name, key.map((part) => String(known[part]))]);
    if (linked.has(name)) throw namedTwice(written.target);
    if (key.every((part) => known[part] !== undefined)) linked.add(name);
  }
}

/** An entity that a body has twice in one collection. */
export function namedTwice(target: string): GatewayError {
  const message = `${target}: expected each entity once, found it twice.`;
  return new GatewayError('BadRequest', message, { target });
}

/** Makes the link. `isNew`: the owner was created just now, and is what is known of it. */
export async function linkPlanned(
  site: ChangeContext,
  owner: EntityResource,
  planned: PlannedLink,
  done: CompletedChange[],
  isNew = false,
): Promise<void> {
  const { navigation, change, related, written } = planned;
  const link = { owner, navigation, isNew };
  await makeLink(unconditional(site), link, change, related, written);
  done.push({
    url: `${owner.url}/${navigation.name}`,
    undone: `the link to ${nameOf(related)} is removed again`,
    left: `the link to ${nameOf(related)} was created and cannot be removed`,
    undo: undoOf(link, planned),
  });
}

function undoOf(link: Link, planned: PlannedLink): CompletedChange['undo'] {
  const { change, related, before, previous, written } = planned;
  if (change.kind === 'related') return (site) => setValues(site, related, change, before);
  if (previous !== undefined) return (site) => makeLink(site, link, change, previous, written);
  const removal = removedLink(linkPlace(link));
  return removal && ((site) => breakLink(site, link, removal, related));
}

/** Checks that the link to a related entity can be taken away; what is given back takes it away. */
export function planUnlink(
  site: ChangeContext,
  link: Link,
  member: EntityResource,
  target: string,
): (done: CompletedChange[]) => Promise<void> {
  const { service, context } = site;
  const { owner, navigation } = link;
  const removal = removedLink(linkPlace(link));
  if (removal === undefined) {
    const message = `${target}: the upstream has no operation that takes ${nameOf(member)} out of it.`;
    throw new GatewayError('NotImplemented', message, { target });
  }
  service.source.permit?.((removal.kind === 'related' ? member : owner).resource, 'Update', context);
  return async (done) => {
    await breakLink(unconditional(site), link, removal, member);
    done.push({
      url: `${owner.url}/${navigation.name}`,
      undone: `the link to ${nameOf(member)} is restored`,
      left: `the link to ${nameOf(member)} was removed and cannot be restored`,
      undo: relink(link, member),
    });
  };
}

/** The entity is not at its place any more then, but still in its set. */
function relink(link: Link, { entitySet, known, url }: EntityResource) {
  const change = addedLink(linkPlace(link));
  if (change === undefined || entitySet === undefined) return undefined;
  const related = entityByKey(collectionOf(entitySet), known);
  const written = { url, target: link.navigation.name };
  return (site: ChangeContext) => makeLink(site, link, change, related, written);
}

function nameOf({ url }: EntityResource): string {
  return quote(decodeURIComponent(url));
}

interface ChangedLink extends Link {
  /** The owner was created just now: what is known of it is all there is. */
  readonly isNew?: boolean;
}

/** Has the upstream link an entity to a related one, which has to be there; `written` is what leads to it. */
export async function makeLink(
  site: ChangeContext,
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
  site: ChangeContext,
  { owner, isNew = false }: ChangedLink,
  keys: readonly ReferentialConstraints[],
): Promise<Row> {
  if (isNew) return owner.known;
  const properties = keys.map(({ own }) => own);
  return (await requireEntity(site, owner, { properties, dynamic: false })).data;
}

/** Has the upstream take the link to a related entity away. */
export async function breakLink(
  site: ChangeContext,
  link: Link,
  change: LinkChange,
  related: EntityResource,
): Promise<void> {
  switch (change.kind) {
    case 'operation': {
      const wanted = { properties: related.entityType.key, dynamic: false };
      const known = (await requireEntity(site, related, wanted)).data;
      return callReference(site, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const values = change.keys.map(({ own }) => [own, null] as const);
      return setValues(site, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      await requireEntity(site, related, NOTHING);
      const values = change.keys.map((each) => [each.related, null] as const);
      return setValues(site, related, change, Object.fromEntries(values));
    }
  }
}

/** Of the entity that is changed, the conditions may say in which state it must be; of the other one it says nothing. */
async function setValues(
  site: ChangeContext,
  entity: EntityResource,
  { kind, update }: Exclude<LinkChange, { kind: 'operation' }>,
  values: Row,
): Promise<void> {
  const change = { method: 'PATCH', entityType: entity.type, values } as const;
  await changeEntity(kind === 'owner' ? site : unconditional(site), entity, update, change, NOTHING);
}

async function callReference(
  site: ChangeContext,
  { owner }: Link,
  operation: ReferenceOperation,
  related: EntityResource,
): Promise<void> {
  await assertPrecondition(site, owner);
  const args = await requireArguments(site, operation, { ...related, parent: owner });
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
