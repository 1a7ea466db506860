import type { EntityInsert } from '../contract/entity-source.ts';
import { PARTIAL, type Row, TAG } from '../contract/row.ts';
import { type EntityPlaces, propertiesInLocation } from './calls/entity-location.ts';
import { badResponse } from './exchange/upstream-failure.ts';
import type { MeshSnapshot } from './execute.ts';

interface Insertion extends Omit<EntityPlaces, 'operations'>, Pick<EntityInsert, 'properties' | 'places'> {
  /** Of bytes that are forwarded as they are, nobody but the upstream can say what they have become. */
  readonly isForwarded: boolean;
}

/** What an answer says of a new entity: where it lacks the key, the URL in Location may have it. */
export function createdRow(insertion: Insertion, answered: MeshSnapshot<Row | undefined>): Row | undefined {
  const { data, etag, location } = answered;
  const { entityType, properties, isForwarded, places: operations = [] } = insertion;
  const key = entityType.key.filter((name) => properties.includes(name));
  const isWhole = data !== undefined && key.every((name) => data[name] !== null);
  const found =
    isWhole || location === undefined ? {} : propertiesInLocation({ ...insertion, operations }, location);
  if (Object.keys(found).length > 0) return { ...found, ...saidOf(data), [PARTIAL]: true };
  if (data === undefined && isForwarded) throw badResponse('expected what was created, found nothing');
  return data && (etag === undefined ? data : { ...data, [TAG]: etag });
}

function saidOf(row: Row = {}): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
