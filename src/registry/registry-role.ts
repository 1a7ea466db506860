import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import type { Principal } from '../contract/principal.ts';
import { ADMINISTRATOR, isAdministrator } from '../contract/roles.ts';

/** Only administrators see to APIs. */
export function maySeeRegistry(principal: Principal): boolean {
  return principal.kind === 'unrestricted' || (principal.kind === 'user' && isAdministrator(principal));
}

export function demandRole(principal: Principal): void {
  if (maySeeRegistry(principal)) return;
  if (principal.kind === 'anonymous') throw loginRequired();
  throw new GatewayError('Forbidden', `The registry of APIs needs the role ${ADMINISTRATOR}.`);
}
