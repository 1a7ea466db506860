import { ADMINISTRATOR, USER } from '../../contract/roles.ts';
import type { Model } from '../../model/model.ts';
import { grantedRoles } from '../../model/resource-grants.ts';

/** The roles that there is something for: those that grants name, and those that are there without. */
export function offeredRoles(model: Model): readonly string[] {
  return [...new Set([USER, ADMINISTRATOR, ...grantedRoles(model)])];
}
