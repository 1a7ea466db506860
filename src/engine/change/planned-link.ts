import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { NavigationProperty } from '../../model/edm.ts';
import { addedLink, type LinkChange, removedLink } from '../../model/link-change.ts';
import type { WrittenLink } from '../input/entity-input.ts';
import { quote } from '../input/mistakes.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import { entityByKey } from '../resource/place.ts';
import type { EntityResource, Link } from '../resource/resource.ts';
import { notImplemented } from '../resource/resource-error.ts';
import { type Changing, type CompletedChange, unconditional } from './compensation.ts';
import { linkedValues } from './linked-values.ts';
import { breakLink, makeLink, setValues } from './make-link.ts';

/** A link that can be made as soon as its owner is there. */
export interface PlannedLink {
  readonly navigation: NavigationProperty;
  readonly change: LinkChange;
  readonly related: EntityResource;
  readonly written: WrittenLink;
  /** What says of the related entity to whom it belongs, as it is before. */
  readonly before: Row;
  /** The entity that the owner is linked to before, where it can have one only. */
  readonly previous?: EntityResource | undefined;
}

/** Checks a link to an entity that is there already. NotImplemented where the upstream has nothing to make it by. */
export async function planLink(
  site: Changing,
  owner: EntityResource,
  navigation: NavigationProperty,
  written: WrittenLink,
): Promise<PlannedLink> {
  const { service, context } = site;
  const change = addedLink(placeOf({ owner, navigation }));
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

function placeOf({ owner, navigation }: Link) {
  return { type: owner.type, update: owner.update, navigation };
}

/** Makes the link. `isNew`: the owner was created just now, and is what is known of it. */
export async function linkPlanned(
  site: Changing,
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
    undone: `the link to ${nameOf(related)} is taken away again`,
    left: `the link to ${nameOf(related)} was made and cannot be taken away`,
    undo: undoOf(link, planned),
  });
}

function undoOf(link: Link, planned: PlannedLink): CompletedChange['undo'] {
  const { change, related, before, previous, written } = planned;
  if (change.kind === 'related') return (site) => setValues(site, related, change, before);
  if (previous !== undefined) return (site) => makeLink(site, link, change, previous, written);
  const removal = removedLink(placeOf(link));
  return removal && ((site) => breakLink(site, link, removal, related));
}

/** Checks that the link to a related entity can be taken away; what is given back takes it away. */
export function planUnlink(
  site: Changing,
  link: Link,
  member: EntityResource,
  target: string,
): (done: CompletedChange[]) => Promise<void> {
  const { service, context } = site;
  const { owner, navigation } = link;
  const removal = removedLink(placeOf(link));
  if (removal === undefined) {
    const message = `${target}: the upstream has no operation that takes ${nameOf(member)} out of it.`;
    throw new GatewayError('NotImplemented', message, { target });
  }
  service.source.permit?.((removal.kind === 'related' ? member : owner).resource, 'Update', context);
  return async (done) => {
    await breakLink(unconditional(site), link, removal, member);
    done.push({
      url: `${owner.url}/${navigation.name}`,
      undone: `the link to ${nameOf(member)} is made again`,
      left: `the link to ${nameOf(member)} was taken away and cannot be made again`,
      undo: relink(link, member),
    });
  };
}

/** The entity is not at its place any more then, but still in its set. */
function relink(link: Link, { entitySet, known, url }: EntityResource) {
  const change = addedLink(placeOf(link));
  if (change === undefined || entitySet === undefined) return undefined;
  const related = entityByKey(collectionOf(entitySet), known);
  const written = { url, target: link.navigation.name };
  return (site: Changing) => makeLink(site, link, change, related, written);
}

function nameOf({ url }: EntityResource): string {
  return quote(decodeURIComponent(url));
}
