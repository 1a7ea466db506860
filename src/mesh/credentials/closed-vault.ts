import type { CredentialVault } from '../../contract/credential-vault.ts';
import { GatewayError } from '../../contract/gateway-error.ts';

/** For those who have no accounts open: a call whose credential is kept there fails. */
export const CLOSED_VAULT: CredentialVault = { withText: refuse, keyOf: refuse };

async function refuse(): Promise<never> {
  const message = 'The credential for this API is kept with the accounts, which are not open here.';
  throw new GatewayError('AccountsUnavailable', message);
}
