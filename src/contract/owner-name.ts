import type { Principal } from './principal.ts';

/** Tells apart who asks: a user, or all who are not known. */
export function ownerName(principal: Principal): string {
  return principal.kind === 'user' ? `user ${principal.id}` : principal.kind;
}
