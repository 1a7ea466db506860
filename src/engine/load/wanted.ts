import type { EntityType } from '../../model/edm.ts';
import type { Projection } from '../pipeline/compile-query.ts';
import type { Wanted } from '../resource/loading.ts';
import { propertiesFor } from './attach-related.ts';
import { etagProperty } from './entity-state.ts';
import { relatedResources } from './related-resources.ts';

type Reading = Pick<Projection, 'properties' | 'dynamic' | 'related'> & Partial<Pick<Projection, 'roots'>>;

/** What expanding takes of the entities that are expanded. */
interface ExpandedReads {
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  readonly dynamic?: boolean;
}

/** What is to be loaded for options, to find related entities by, and for the ETag. */
export function wantedFor(type: EntityType, query: Reading, expander?: ExpandedReads): Wanted {
  const { properties, dynamic, related, roots = [] } = query;
  const etag = etagProperty(type);
  if (expander === undefined && related.size === 0 && roots.length === 0 && etag === undefined)
    return { properties, dynamic };
  const behind = [
    ...propertiesFor(type, related),
    ...(expander?.properties ?? []),
    ...(etag === undefined ? [] : [etag]),
  ];
  const resources = [...relatedResources(query), ...(expander?.resources ?? [])];
  return {
    properties: [...new Set([...properties, ...behind])],
    dynamic: dynamic || expander?.dynamic === true,
    related: [...new Set(resources)],
  };
}
