import { ACCESS, bearer, signUp, tokenOf } from '../auth/account-client.ts';
import type { MeteredServer } from './metered-server.ts';

/** The environment for a gateway with temporary accounts. */
export const ACCOUNTS = ACCESS;

/** The e-mail address of who signs in. */
export const USER = 'bench@example.com';

/** The gateway for a client with a token (a JWT), which is valid for five minutes. */
export async function signedIn(gateway: MeteredServer): Promise<MeteredServer> {
  const fetching = fetchingOf(gateway);
  const token = await tokenOf(fetching, await signUp(fetching, USER));
  return { ...gateway, headers: bearer(token) };
}

/** The server, for what asks it as a client of accounts does. */
export function fetchingOf({ url }: MeteredServer) {
  return {
    async fetch(path: string, init?: RequestInit) {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}
