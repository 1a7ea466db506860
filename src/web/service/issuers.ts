import { queryOptions } from '@tanstack/react-query';
import { isEntity } from './entity.ts';
import type { Issuer } from './landing.ts';
import { postJson, requestJson } from './request.ts';
import { authUrl } from './session.ts';

/** How an account is signed in to. */
export interface WaysToSignIn {
  readonly hasPassword: boolean;
  readonly issuers: readonly (Issuer & { readonly isConnected: boolean })[];
}

export const waysQuery = queryOptions<WaysToSignIn>({
  queryKey: ['ways to sign in'],
  queryFn: async () => (await requestJson(authUrl('issuers'))).body as WaysToSignIn,
});

/** Goes to an issuer, which sends the browser back when somebody has signed in. */
export async function goToIssuer(
  { path }: Issuer,
  act: 'sign-in' | 'connect',
  { returnTo, invitation }: { readonly returnTo?: string; readonly invitation?: string | undefined } = {},
): Promise<void> {
  const { body } = await postJson(authUrl(`issuers/${path}/${act}`), { return: returnTo, invitation });
  if (!isEntity(body) || typeof body['url'] !== 'string')
    throw new Error('The service does not say where to go.');
  window.location.assign(body['url']);
}
