import type { EntityBody } from '../payload/entity-body.ts';
import { notImplemented } from './resource-error.ts';

/** Links and related entities in a body (Part 1, 11.4.2.1 and 11.4.2.2) would each need an operation of their own. */
export function refuseDeepChanges({ bindings, nested }: Pick<EntityBody, 'bindings' | 'nested'>): void {
  const [first] = [...bindings, ...nested];
  if (first !== undefined) throw notImplemented(`"${first.property.name}" in a body`);
}
