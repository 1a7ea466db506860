import { GatewayError } from '../contract/gateway-error.ts';
import { Secret } from '../contract/secret.ts';
import { createTextSeal, type TextSeal } from './sealed-text.ts';

/**
 * Who may make an account for himself: everybody; whoever is invited; everybody, but an administrator has to enable the
 * account; or nobody.
 */
export type SignUp = 'open' | 'invite' | 'approve' | 'off';

/** Invitations to sign up, which are kept nowhere: each is good for one e-mail address, which has one account. */
export interface Invitations {
  /** Good until then. */
  invite(email: string, until: Date): string;
  isGood(invitation: string, email: string): boolean;
}

export function createInvitations(secret: string): Invitations {
  const seal: TextSeal = createTextSeal(secret);
  return {
    invite: (email, until) => seal.seal(new Secret(until.toISOString()), placeOf(email)),
    isGood(invitation, email) {
      const until = seal.open(invitation, placeOf(email))?.reveal();
      return until !== undefined && Date.parse(until) > Date.now();
    },
  };
}

function placeOf(email: string): string {
  return `invitation of ${email.toLowerCase()}`;
}

/** Throws Forbidden where nobody may sign up with that address and that invitation. */
export function demandSignUp(
  signUp: SignUp,
  invitations: Invitations,
  { email, invitation }: { readonly email: string; readonly invitation: unknown },
): void {
  if (signUp === 'off') {
    throw new GatewayError('Forbidden', 'Nobody can sign up here: an administrator makes the accounts.');
  }
  if (signUp !== 'invite') return;
  if (typeof invitation === 'string' && invitations.isGood(invitation, email)) return;
  const message = 'Signing up takes an invitation for this address that is still good: ask an administrator.';
  throw new GatewayError('Forbidden', message, { target: 'invitation' });
}
