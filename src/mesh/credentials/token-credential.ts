import type { AccessToken } from './access-token.ts';
import { bearerHeaders, type CallCredential } from './call-credential.ts';
import type { HeldToken } from './held-token.ts';

/** The credential that a token is, for that owner. */
export function tokenCredential(held: HeldToken, owner: string): CallCredential | Promise<CallCredential> {
  const credentialOf = (token: AccessToken): CallCredential => ({
    headers: bearerHeaders(token.value.reveal()),
    query: '',
    owner,
    async instead() {
      const other = await held.instead(token);
      return other && credentialOf(other);
    },
  });
  const token = held.current();
  return token instanceof Promise ? token.then(credentialOf) : credentialOf(token);
}
