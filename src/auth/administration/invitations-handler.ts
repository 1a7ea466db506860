import type { GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { USER } from '../../contract/roles.ts';
import type { SignUp } from '../accounts/sign-up.ts';
import { type Invitations, invitationUrl } from '../invitations/invitations.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { json, NO_CONTENT, notAllowed, nothingHere, readFields } from '../requests/account-answers.ts';
import { EMAIL, ROLES } from '../requests/account-requests.ts';
import {
  type AdministratorsDependencies,
  type AdministratorsRequest,
  forAdministrators,
} from './for-administrators.ts';

export interface InvitationsHandlerOptions extends AdministratorsDependencies {
  readonly invitations: Invitations;
  readonly baseUrl: string;
  readonly signUp: SignUp;
  readonly mail: AccountMail | undefined;
  /** Whether there is an account with that e-mail address. */
  readonly isTaken: (email: string) => Promise<boolean>;
}

/** Lets administrators invite: `GET` and `POST` at the path itself, `DELETE` at an invitation's id below it. */
export function createInvitationsHandler(options: InvitationsHandlerOptions) {
  return forAdministrators(options, async (request) => {
    if (request.path === '' || request.path === '/') return serveAll(options, request);
    const [, id] = /^\/([\w-]{1,64})$/.exec(request.path) ?? [];
    if (id === undefined) throw nothingHere();
    if (request.method !== 'DELETE') throw notAllowed('DELETE');
    await request.noting(
      (gone) => [{ action: 'withdrew the invitation of somebody', subject: gone?.email }],
      () => withdraw(options.invitations, id),
    );
    return NO_CONTENT;
  });
}

async function serveAll(
  options: InvitationsHandlerOptions,
  request: AdministratorsRequest,
): Promise<GatewayResponse> {
  const { invitations, baseUrl, mail } = options;
  if (request.method === 'GET') return json(200, { invitations: await invitations.list() });
  if (request.method !== 'POST') throw notAllowed('GET, HEAD, POST');
  const invitation = readInvitation(request);
  const { text, ...made } = await request.noting(
    () => [{ action: 'invited somebody', subject: invitation.email }],
    async () => {
      await demandUse(options, invitation.email);
      return invitations.invite({ ...invitation, invitedBy: request.user.email });
    },
  );
  const url = invitationUrl(baseUrl, { email: made.email, text });
  mail?.invitation(made, url);
  return json(201, { ...made, url, mailed: mail !== undefined });
}

async function withdraw(invitations: Invitations, id: string) {
  const gone = await invitations.withdraw(id);
  if (gone === undefined) throw new GatewayError('NotFound', 'There is no such invitation.');
  return gone;
}

/** An invitation that cannot be used is none. */
async function demandUse({ signUp, isTaken }: InvitationsHandlerOptions, email: string): Promise<void> {
  if (signUp === 'off') {
    const message = 'Nobody can sign up here, invited or not (SIGN_UP=off): make the account instead.';
    throw new GatewayError('Conflict', message);
  }
  if (await isTaken(email)) throw new GatewayError('Conflict', `There is an account of ${email} already.`);
}

const DAYS = 7;
const MOST_DAYS = 365;

const NEW_INVITATION = {
  email: EMAIL,
  roles: { ...ROLES, isOptional: true, fallback: [USER] },
  days: {
    isOptional: true,
    fallback: DAYS,
    expected: `a whole number from 1 to ${MOST_DAYS}`,
    accepts: (value: unknown) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_DAYS,
  },
};

function readInvitation(request: AdministratorsRequest) {
  const { email, roles, days } = readFields(NEW_INVITATION, request);
  return { email: String(email), roles: roles as readonly string[], days: Number(days) };
}
