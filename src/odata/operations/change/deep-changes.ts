import type { EntityBody } from '../../payload/body/entity-body.ts';
import { notImplemented } from '../resource/resource-error.ts';

/** Related entities in a body would each need an operation of their own (Part 1, 11.4.3.1). */
export function refuseDeepChanges({ nested }: Pick<EntityBody, 'nested'>): void {
  const [first] = nested;
  if (first !== undefined) throw notImplemented(`"${first.property.name}" in a body`);
}
