import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { Model } from '../../model/model.ts';
import { referentialConstraints } from '../../model/referential-constraints.ts';
import { demandEntity } from '../load/load.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import type { Loading } from '../resource/loading.ts';
import { castTo } from '../resource/place.ts';
import type { CollectionResource, Link } from '../resource/resource.ts';

/** Where an entity is created that is new in a collection: behind a link, in its own set. */
export function createdIn(model: Model, collection: CollectionResource): CollectionResource {
  const { entitySet, type, isCast } = collection;
  if (linkTo(collection) === undefined || entitySet === undefined) return collection;
  const home = collectionOf(entitySet);
  return (isCast ? castTo(model, home, type.name) : undefined) ?? home;
}

/** What says of an entity that is new behind a link to whom it belongs; the owner has to be there. */
export async function givenByLink(loading: Loading, collection: CollectionResource): Promise<Row> {
  const link = linkTo(collection);
  if (link === undefined) return {};
  const { owner, navigation } = link;
  const keys = referentialConstraints(owner.type, navigation);
  const properties = keys.map(({ own }) => own);
  const { data } = await demandEntity(loading, owner, { properties, dynamic: false });
  const unset = properties.find((name) => (data[name] ?? null) === null);
  if (unset !== undefined) throw unlinkable(link, unset);
  return Object.fromEntries(keys.map(({ own, related }) => [related, data[own] ?? null]));
}

function linkTo({ link }: CollectionResource): Link | undefined {
  return link?.navigation.origin.kind === 'link' ? link : undefined;
}

function unlinkable({ owner, navigation }: Link, property: string): GatewayError {
  const url = decodeURIComponent(owner.url);
  const message = `${navigation.name}: nothing can belong to ${url} as long as its "${property}" is null.`;
  return new GatewayError('Conflict', message, { target: navigation.name });
}
