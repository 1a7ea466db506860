import { GatewayError } from '../../contract/gateway-error.ts';
import { isRoleName, MOST_ROLES, USER } from '../../contract/principal.ts';
import { type Accounts, withChosenRoles } from '../accounts/accounts.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import {
  type AccountsStore,
  orUnavailable,
  PASSWORD_WAY,
  type StoredUser,
} from '../database/accounts-store.ts';
import type { Invitation } from '../invitations/invitations.ts';
import type { Users } from '../users/users.ts';

/** A user as an issuer describes them. */
export interface Identity {
  readonly issuer: string;
  /** With the issuer, the key of an account: an e-mail address may be reassigned to another person. */
  readonly subject: string;
  /** Undefined if the issuer sends no valid address. */
  readonly email: string | undefined;
  /** Whether the issuer has verified the address and the operator trusts it to. */
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** The gateway's names of the roles; undefined if the issuer sends none. */
  readonly roles: readonly string[] | undefined;
}

/** Why a user whom an issuer has signed in is refused. */
export type Refusal =
  /** No one may sign up. */
  | 'closed'
  /** The address needs an invitation. */
  | 'invitation'
  /** An administrator has yet to approve the account. */
  | 'waiting'
  | 'disabled'
  /** Another account has the address. */
  | 'taken'
  /** The identity is connected to another account. */
  | 'connected'
  /** The issuer sends no address. */
  | 'email';

export type Admission =
  | {
      readonly kind: 'admitted';
      readonly userId: string;
      readonly email: string;
      readonly step?: 'signedUp' | 'connected' | undefined;
      /** The new roles, if the issuer changed them. */
      readonly roles?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly email: string | undefined;
      /** The account was created even though the user is refused. */
      readonly step?: 'signedUp';
    };

interface IssuerAccountsOptions {
  readonly accounts: Accounts;
  readonly database: Pick<AccountsDatabase, 'inTurn'>;
  readonly store: AccountsStore;
  readonly users: Pick<Users, 'change'>;
  /** Throws Forbidden if the address may not sign up. */
  readonly requireSignUp: (by: {
    readonly email: string;
    readonly invitation: unknown;
  }) => Promise<Invitation | undefined>;
  /** Marks an invitation as used. */
  readonly spend: (invitation: Invitation) => Promise<void>;
}

/** Accounts of users who sign in through an issuer. */
export interface IssuerAccounts {
  /** Finds the user's account, or creates one. `assertRoom` throws if no more accounts may be created. */
  admit(
    identity: Identity,
    invitation: string | undefined,
    assertRoom: () => Promise<void>,
  ): Promise<Admission>;
  /** Connects the issuer's identity to the account, so that the user can sign in with it. */
  connect(identity: Identity, user: { readonly id: string; readonly email: string }): Promise<Admission>;
  /** The issuers that are connected to an account, and whether it has a password. */
  waysOf(userId: string): Promise<{ readonly issuers: readonly string[]; readonly hasPassword: boolean }>;
}

interface StoredAccount {
  readonly userId: string;
  readonly providerId: string;
}

export function createIssuerAccounts(options: IssuerAccountsOptions): IssuerAccounts {
  const { database, store } = options;
  // Two concurrent first sign-ins would create two accounts.
  const inTurn = <Result>({ issuer, subject }: Identity, work: () => Promise<Result>): Promise<Result> =>
    database.inTurn(`sign-in ${JSON.stringify([issuer, subject])}`, work);
  return {
    admit: (identity, invitation, assertRoom) =>
      inTurn(identity, async () => {
        const known = await findUser(store, identity);
        if (known !== undefined) return enter(options, identity, known);
        return signUp(options, identity, { invitation, assertRoom });
      }),
    connect: (identity, user) =>
      inTurn(identity, async () => {
        const known = await findUser(store, identity);
        if (known !== undefined && known.id !== user.id) return refused('connected', user.email);
        if (known === undefined) await link(options, identity, user.id);
        return { kind: 'admitted', userId: user.id, email: user.email, step: 'connected' };
      }),
    async waysOf(userId) {
      const ways = await store.findAll<StoredAccount>('account', { userId });
      const names = ways.map(({ providerId }) => providerId);
      return {
        issuers: names.filter((name) => name !== PASSWORD_WAY),
        hasPassword: names.includes(PASSWORD_WAY),
      };
    },
  };
}

async function findUser(
  store: AccountsStore,
  { issuer, subject }: Identity,
): Promise<StoredUser | undefined> {
  const way = await store.findOne<StoredAccount>('account', { providerId: issuer, accountId: subject });
  return way && store.findOne<StoredUser>('user', { id: way.userId });
}

async function enter(
  options: IssuerAccountsOptions,
  identity: Identity,
  user: StoredUser,
): Promise<Admission> {
  const { id, email } = user;
  if (user.disabled) return refused(user.waiting === true ? 'waiting' : 'disabled', email);
  return { kind: 'admitted', userId: id, email, roles: await takeRoles(options, identity, user) };
}

/**
 * Applies the issuer's roles if the issuer created the account or the account has no password; other accounts
 * keep the roles that administrators gave them. Undefined if nothing changes.
 */
async function takeRoles(
  { store, users }: IssuerAccountsOptions,
  { issuer, roles: issuerRoles }: Identity,
  { id, roles, rolesFrom }: StoredUser,
): Promise<readonly string[] | undefined> {
  if (rolesFrom !== null && rolesFrom !== issuer) return undefined;
  if (rolesFrom === null) {
    if (
      issuerRoles === undefined ||
      (await store.count('account', { userId: id, providerId: PASSWORD_WAY })) > 0
    )
      return undefined;
    await store.update('user', { id }, { rolesFrom: issuer });
  }
  // An issuer that sent roles before and sends none now has withdrawn them.
  const now = issuerRoles === undefined ? [USER] : storable(issuerRoles);
  if (now.length === roles.length && now.every((role) => roles.includes(role))) return undefined;
  return (await change(users, id, now)) ? now : undefined;
}

/**
 * The last administrator keeps the role: otherwise an error at the issuer could lock all administrators out.
 */
async function change(users: Pick<Users, 'change'>, id: string, roles: readonly string[]): Promise<boolean> {
  try {
    await users.change(id, { roles });
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'Conflict') return false;
    throw error;
  }
}

function storable(roles: readonly string[]): readonly string[] {
  return [...new Set(roles)].filter(isRoleName).slice(0, MOST_ROLES);
}

interface SigningUp {
  readonly invitation: string | undefined;
  readonly assertRoom: () => Promise<void>;
}

async function signUp(
  options: IssuerAccountsOptions,
  identity: Identity,
  { invitation: text, assertRoom }: SigningUp,
): Promise<Admission> {
  const { email } = identity;
  if (email === undefined) return refused('email', undefined);
  const other = await options.store.findOne<StoredUser>('user', { email: email.toLowerCase() });
  if (other !== undefined) return meet(options, identity, other);
  const invitation = await findInvitation(options, { email, invitation: text });
  if (typeof invitation === 'string') return refused(invitation, email);
  await assertRoom();
  const userId = await create(options, identity, email, invitation);
  if (invitation !== undefined) await options.spend(invitation);
  const user = await options.store.userById(userId);
  if (user === undefined) return { kind: 'refused', refusal: 'waiting', email, step: 'signedUp' };
  return { kind: 'admitted', userId, email, step: 'signedUp' };
}

/** Returns a refusal if an invitation is required and missing. */
async function findInvitation(
  { requireSignUp }: IssuerAccountsOptions,
  by: { readonly email: string; readonly invitation: unknown },
): Promise<Invitation | Refusal | undefined> {
  try {
    return await requireSignUp(by);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'Forbidden') throw error;
    return error.target === 'invitation' ? 'invitation' : 'closed';
  }
}

/**
 * Connects the identity to an existing account with the same address, if both sides have verified the
 * address: otherwise someone could sign up with a foreign address and a password and wait for its owner.
 */
async function meet(
  options: IssuerAccountsOptions,
  identity: Identity,
  user: StoredUser,
): Promise<Admission> {
  if (!identity.isEmailVerified || !user.emailVerified) return refused('taken', user.email);
  if (user.disabled) return refused(user.waiting === true ? 'waiting' : 'disabled', user.email);
  await link(options, identity, user.id);
  return { kind: 'admitted', userId: user.id, email: user.email, step: 'connected' };
}

async function link(
  { accounts }: IssuerAccountsOptions,
  { issuer, subject }: Identity,
  userId: string,
): Promise<void> {
  const { internalAdapter } = await accounts.$context;
  await orUnavailable(() => internalAdapter.linkAccount({ userId, providerId: issuer, accountId: subject }));
}

async function create(
  { accounts }: IssuerAccountsOptions,
  { issuer, subject, name, isEmailVerified, roles }: Identity,
  email: string,
  invitation: Invitation | undefined,
): Promise<string> {
  const { internalAdapter } = await accounts.$context;
  const given = roles === undefined ? undefined : storable(roles);
  const fields = {
    name,
    email,
    emailVerified: isEmailVerified,
    ...(given !== undefined && { roles: [...given], rolesFrom: issuer }),
  };
  const make = () => internalAdapter.createOAuthUser(fields, { providerId: issuer, accountId: subject });
  const { user } = await orUnavailable(() =>
    invitation === undefined ? make() : withChosenRoles(given ?? invitation.roles, make),
  );
  return user.id;
}

function refused(refusal: Refusal, email: string | undefined): Admission {
  return { kind: 'refused', refusal, email };
}
