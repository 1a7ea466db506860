import type { Principal } from '../../../contract/principal.ts';

/** Tells apart whose requests are answered later. */
export function ownerName(principal: Principal): string {
  return principal.kind === 'user' ? `user ${principal.id}` : principal.kind;
}
