import type { EntityBody } from '../payload/entity-body.ts';
import { notImplemented } from './resource-error.ts';

/** Related entities in a body would each need an operation of their own (Part 1, 11.4.3.1). */
export function refuseDeepChanges({ nested }: Pick<EntityBody, 'nested'>): void {
  const [first] = nested;
  if (first !== undefined) throw notImplemented(`"${first.property.name}" in a body`);
}

/** The same of a create, whose body may have what stands within the entity in the upstream's JSON, too. */
export function refuseDeepInserts({ nested }: Pick<EntityBody, 'nested'>): void {
  const apart = nested.filter(({ property }) => property.origin.kind !== 'embedded');
  refuseDeepChanges({ nested: apart.filter(({ entities }) => entities.length > 0) });
}
