import type { Singleton } from '../../model/edm.ts';
import type { EntityResource } from './resource.ts';

/** A singleton as the service has it (Part 2, 4.1). */
export function singletonResource({ name, entityType, read, update }: Singleton): EntityResource {
  return {
    kind: 'entity',
    path: name,
    url: name,
    home: name,
    resource: name,
    entityType,
    entitySet: undefined,
    type: entityType,
    isCast: false,
    parent: undefined,
    known: {},
    origin: { kind: 'operation', operation: read, from: 'parent' },
    update,
    delete: undefined,
  };
}
