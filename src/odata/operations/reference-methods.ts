import type { CollectionResource, EntityResource } from '../../engine/resource/resource.ts';
import type { QueryOptions } from '../../engine/tree/options-tree.ts';
import { addedLink, type LinkChange, removedLink } from '../../model/link-change.ts';
import { addReference, removeReference } from './handlers/change/change-references.ts';
import { readReferences } from './handlers/read/read-references.ts';
import { permitted } from './service/permitted.ts';
import type { RequestHandler, Service } from './service/service.ts';

/** Links can be changed where the upstream is told of them, of a collection one by one (Part 1, 11.4.6). */
export function offeredOnReferences(
  service: Service,
  of: CollectionResource | EntityResource,
  options: QueryOptions,
): ReadonlyMap<string, () => RequestHandler> {
  const offered = new Map([['GET', () => readReferences(service, of, options)]]);
  const { link } = of;
  if (link === undefined || of.origin.kind === 'filtered') return offered;
  const { owner, navigation } = link;
  const place = { type: owner.type, update: owner.update, navigation };
  const added = addedLink(place);
  const removed = removedLink(place);
  const isMember = of.kind === 'entity' && link.navigation.collection;
  const changed = (change: LinkChange) => (change.kind === 'related' ? of : link.owner);
  if (added !== undefined && !isMember) {
    offered.set(of.kind === 'entity' ? 'PUT' : 'POST', () =>
      permitted(service, changed(added), 'Update', addReference(service, link, added, options)),
    );
  }
  if (removed !== undefined) {
    const member = of.kind === 'entity' ? of : undefined;
    offered.set('DELETE', () =>
      permitted(
        service,
        changed(removed),
        'Update',
        removeReference(service, link, removed, member, options),
      ),
    );
  }
  return offered;
}
