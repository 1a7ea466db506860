import type { Row } from '../contract/row.ts';
import { entityUrl } from '../engine/resource/entity-url.ts';
import { isDerived } from '../engine/resource/place.ts';
import type { EntityType, Model } from '../model/edm.ts';

/** The public URL of an entity's stream; null for an entity that is in no set. */
export function streamUrls(
  model: Model,
  root: string,
): (type: EntityType, row: Row, name: string | undefined) => string | null {
  return (type, row, name) => {
    const set = [...model.entitySets.values()].find(({ entityType }) => isDerived(model, type, entityType));
    if (set === undefined) return null;
    return `${root}/${entityUrl(set.name, type)(row)}/${name ?? '$value'}`;
  };
}
