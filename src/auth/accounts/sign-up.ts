import { AsyncLocalStorage } from 'node:async_hooks';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Invitation, Invitations } from '../invitations/invitations.ts';

/**
 * Who may make an account for himself: everybody; whoever is invited; everybody, but an administrator has to enable the
 * account unless he has invited its user; or nobody.
 */
export type SignUp = 'open' | 'invite' | 'approve' | 'off';

/**
 * The invitation that somebody has for his address, which in some modes need not be there. Throws Forbidden where nobody
 * may sign up with that address and that invitation.
 */
export async function demandSignUp(
  signUp: SignUp,
  invitations: Pick<Invitations, 'find'>,
  { email, invitation }: { readonly email: string; readonly invitation: unknown },
): Promise<Invitation | undefined> {
  if (signUp === 'off') {
    throw new GatewayError('Forbidden', 'Nobody can sign up here: an administrator makes the accounts.');
  }
  const found = typeof invitation === 'string' ? await invitations.find(invitation, email) : undefined;
  if (found !== undefined || signUp !== 'invite') return found;
  const message = 'Signing up takes an invitation for this address that is still good: ask an administrator.';
  throw new GatewayError('Forbidden', message, { target: 'invitation' });
}

const chosen = new AsyncLocalStorage<readonly string[]>();

/** Makes accounts with roles that an administrator has chosen, who need not look at them again. */
export function withChosenRoles<Result>(
  roles: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  return chosen.run(roles, work);
}

/**
 * What is said of each account that is made; nothing where it is as it is for everybody. Whoever was invited by mail
 * has shown that the address is his.
 */
export function newAccountFields({
  signUp,
  mail,
}: {
  readonly signUp?: SignUp | undefined;
  readonly mail?: object | undefined;
}): Readonly<Record<string, unknown>> {
  const roles = chosen.getStore();
  if (roles !== undefined) return { roles: [...roles], ...(mail && { emailVerified: true }) };
  return signUp === 'approve' ? { disabled: true, waiting: true } : {};
}
