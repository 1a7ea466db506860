import type { EntityBody } from '../payload/entity-body.ts';
import { notImplemented } from './resource-error.ts';

type Deep = Pick<EntityBody, 'bindings' | 'nested'>;

/** Links and related entities in a body (Part 1, 11.4.2.1 and 11.4.2.2) would each need an operation of their own. */
export function refuseDeepChanges({ bindings, nested }: Deep): void {
  const [first] = [...bindings, ...nested];
  if (first !== undefined) throw notImplemented(`"${first.property.name}" in a body`);
}

/** The same of a create, whose body may have what stands within the entity in the upstream's JSON, too. */
export function refuseDeepInserts({ bindings, nested }: Deep): void {
  refuseDeepChanges({
    bindings,
    nested: nested.filter(({ property }) => property.origin.kind !== 'embedded'),
  });
}
