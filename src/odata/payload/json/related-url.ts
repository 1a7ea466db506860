import type { Row } from '../../../contract/row.ts';
import { entityUrl } from '../../../engine/resource/entity-url.ts';
import type { EntityType, StructuredType } from '../../../model/edm.ts';
import type { Expansion } from './entity-content.ts';

/**
 * Finds the URL of an entity, relative to the service root; undefined where it has none.
 * `owner` is that of the entity that it is expanded in.
 */
export type UrlOf = (row: Row, owner?: string) => string | undefined;

/** Contained entities have their URLs below their owner's (Part 2, 4.3.2). */
export function urlOfRelated(owner: StructuredType, name: string, expansion: Expansion): UrlOf | undefined {
  const { canonical, collection, entityType, partial } = expansion;
  if (canonical !== undefined || partial === true) return canonical;
  if (owner.navigationProperties.get(name)?.containsTarget !== true) return undefined;
  const below = collection ? entityUrl(`/${name}`, entityType) : () => `/${name}`;
  return (row, ownerUrl) => (ownerUrl === undefined ? undefined : ownerUrl + below(row));
}

/** The URL of an entity whose key has a value: one that the upstream gives no key has no place (JSON Format, 4.5.8). */
export function urlOfKeyed(
  { key, structuralProperties }: EntityType,
  urlOf: UrlOf | undefined,
): UrlOf | undefined {
  const sometimesNull = key.filter((name) => {
    const { sometimesNull = false, aliasOf } = structuralProperties.get(name) ?? {};
    return sometimesNull || aliasOf !== undefined;
  });
  if (urlOf === undefined || sometimesNull.length === 0) return urlOf;
  return (row, owner) =>
    sometimesNull.every((name) => (row[name] ?? null) !== null) ? urlOf(row, owner) : undefined;
}
