import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { WrittenLink } from '../input/entity-input.ts';
import type { Changing } from './compensation.ts';
import { linkedValues } from './linked-values.ts';

/** The key of an entity in a body, by its id or by its properties; undefined where the body does not say all of it. */
export async function keyOfMember(
  site: Changing,
  type: EntityType,
  { link, key }: { readonly link: WrittenLink | undefined; readonly key: Row },
): Promise<Row | undefined> {
  if (link === undefined) return type.key.every((name) => key[name] !== undefined) ? key : undefined;
  const named = site.entityOf(link, type);
  if (type.key.every((name) => named.known[name] !== undefined)) return named.known;
  return linkedValues(site, named, type.key, link);
}

export function isSameKey({ key }: EntityType, one: Row, other: Row): boolean {
  return key.every((name) => String(one[name]) === String(other[name]));
}
