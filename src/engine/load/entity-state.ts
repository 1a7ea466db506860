import type { EntitySnapshot } from '../../contract/entity-source.ts';
import { weakTag } from '../../contract/entity-tag.ts';
import { type Row, TAG } from '../../contract/row.ts';

/**
 * The tag of an entity by its property, or else the one that the upstream gave it when it was written. It is
 * weak: the same state is shown in many forms (Part 1, 8.3.2).
 */
export function entityTag(row: Row, property: string | undefined): string | undefined {
  const value = property === undefined ? undefined : row[property];
  if (value === undefined || value === null) return weakTag(row[TAG]);
  return `W/"${encodeURIComponent(String(value))}"`;
}

/** The tag of an entity: its property's value, else the upstream's tag, else a digest of its bytes. */
export function stateTag(
  { data, etag, digest }: EntitySnapshot,
  property: string | undefined,
): string | undefined {
  return entityTag(data, property) ?? weakTag(etag ?? digest);
}
