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

/** Somebody as an issuer knows him. */
export interface Identity {
  readonly issuer: string;
  /** With the issuer, what an account is found by: an address may be given to somebody else. */
  readonly subject: string;
  /** Undefined where the issuer names none that could be one. */
  readonly email: string | undefined;
  /** Whether the issuer has verified it, and is trusted to. */
  readonly isEmailVerified: boolean;
  readonly name: string;
  /** In the names that they have here; undefined where the issuer says nothing of them. */
  readonly roles: readonly string[] | undefined;
}

/** Why somebody whom an issuer has signed in is not let in. */
export type Refusal =
  /** Nobody may make an account. */
  | 'closed'
  /** He needs an invitation for his address. */
  | 'invitation'
  /** Nobody has approved his account yet. */
  | 'waiting'
  | 'disabled'
  /** Another account has his address. */
  | 'taken'
  /** Another account is signed in to by him. */
  | 'connected'
  /** The issuer names no address. */
  | 'email';

export type Admission =
  | {
      readonly kind: 'admitted';
      readonly userId: string;
      readonly email: string;
      /** What has been done besides. */
      readonly step?: 'signedUp' | 'connected' | undefined;
      /** What the issuer has changed them to. */
      readonly roles?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly email: string | undefined;
      /** His account has been made all the same. */
      readonly step?: 'signedUp';
    };

interface IssuerAccountsOptions {
  readonly accounts: Accounts;
  readonly database: Pick<AccountsDatabase, 'inTurn'>;
  readonly store: AccountsStore;
  readonly users: Pick<Users, 'change'>;
  /** Throws Forbidden where nobody may sign up with that address. */
  readonly requireSignUp: (by: {
    readonly email: string;
    readonly invitation: unknown;
  }) => Promise<Invitation | undefined>;
  /** An invitation has been used. */
  readonly spend: (invitation: Invitation) => Promise<void>;
}

/** The accounts of those who sign in by an issuer. */
export interface IssuerAccounts {
  /** Finds his account, or makes one. `assertRoom` throws where no more accounts are to be made. */
  admit(
    identity: Identity,
    invitation: string | undefined,
    assertRoom: () => Promise<void>,
  ): Promise<Admission>;
  /** Lets him sign in to the account by the issuer from then on. */
  connect(identity: Identity, user: { readonly id: string; readonly email: string }): Promise<Admission>;
  /** The issuers that an account is signed in to by, and whether it has a password. */
  waysOf(userId: string): Promise<{ readonly issuers: readonly string[]; readonly hasPassword: boolean }>;
}

interface StoredAccount {
  readonly userId: string;
  readonly providerId: string;
}

export function createIssuerAccounts(options: IssuerAccountsOptions): IssuerAccounts {
  const { database, store } = options;
  // Two first sign-ins at once would make two accounts.
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
 * What the issuer says of roles counts where it has made the account, or it has no password: an account that was
 * made here keeps the roles that it was given here. Undefined where nothing changes.
 */
async function takeRoles(
  { store, users }: IssuerAccountsOptions,
  { issuer, roles: told }: Identity,
  { id, roles, rolesFrom }: StoredUser,
): Promise<readonly string[] | undefined> {
  if (rolesFrom !== null && rolesFrom !== issuer) return undefined;
  if (rolesFrom === null) {
    if (told === undefined || (await store.count('account', { userId: id, providerId: PASSWORD_WAY })) > 0)
      return undefined;
    await store.update('user', { id }, { rolesFrom: issuer });
  }
  // An issuer that has said something before and says nothing now has taken them away.
  const now = told === undefined ? [USER] : storable(told);
  if (now.length === roles.length && now.every((role) => roles.includes(role))) return undefined;
  return (await change(users, id, now)) ? now : undefined;
}

/** The last administrator stays one: otherwise a mistake at the issuer would leave nobody to mend it here. */
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

/** A refusal where there has to be an invitation, and is none. */
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
 * There is an account with his address. It is his where both sides are known to be: somebody may have taken an
 * address here that is not his own, with a password, and would be waiting for its owner to come.
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
