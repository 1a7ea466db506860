import type { EntityType } from '../../model/edm.ts';
import type { Projection } from '../query/compile-query.ts';
import { propertiesFor } from './attach-related.ts';
import type { Expander } from './expand.ts';
import type { Wanted } from './load.ts';

type Reading = Pick<Projection, 'properties' | 'dynamic' | 'related'>;

/** What is to be loaded for options, and to find related entities by. */
export function wantedFor(type: EntityType, query: Reading, expander?: Expander): Wanted {
  const { properties, dynamic, related } = query;
  if (expander === undefined && related.size === 0) return { properties, dynamic };
  const behind = [...propertiesFor(type, related), ...(expander?.properties ?? [])];
  return { properties: [...new Set([...properties, ...behind])], dynamic };
}
