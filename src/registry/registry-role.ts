import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import type { Principal } from '../contract/principal.ts';

/** Only users with this role see to APIs. */
const ROLE = 'Admin';

export function maySeeRegistry(principal: Principal): boolean {
  return principal.kind === 'unrestricted' || (principal.kind === 'user' && principal.roles.includes(ROLE));
}

export function demandRole(principal: Principal): void {
  if (maySeeRegistry(principal)) return;
  if (principal.kind === 'anonymous') throw loginRequired();
  throw new GatewayError('Forbidden', `The registry of APIs needs the role ${ROLE}.`);
}
