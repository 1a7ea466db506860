import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Invitation as ToldInvitation } from '../../contract/accounts.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { orUnavailable } from '../database/accounts-store.ts';
import { readMoment, readNames, sqlValuesOf } from '../database/sql-values.ts';
import { hashOfSecret, newSecret } from '../keys/random-secret.ts';

export type Invitation = ToldInvitation<Date>;

export interface NewInvitation {
  readonly email: string;
  readonly roles: readonly string[];
  readonly days: number;
  readonly invitedBy: string | null;
}

/** Invitations to sign up, each for one e-mail address and one use. Only hashes of their texts are stored. */
export interface Invitations {
  /** Replaces an earlier invitation for the address. Returns the text, which cannot be read again later. */
  invite(invitation: NewInvitation): Promise<Invitation & { readonly text: string }>;
  /** The valid invitations, sorted by e-mail address. */
  list(): Promise<readonly Invitation[]>;
  /** Undefined if the text is no valid invitation for the address. */
  find(text: string, email: string): Promise<Invitation | undefined>;
  /** Revokes an invitation; returns undefined if there is no such invitation. */
  withdraw(id: string): Promise<Invitation | undefined>;
}

const ID_BYTES = 16;
const DAY_MS = 86_400_000;
const MOST_INVITATIONS = 1_000;

type Stored = InvitationTables['invitation'];

export function createInvitations(database: AccountsDatabase): Invitations {
  const rows = database.tables.withTables<InvitationTables>();
  const { moment, names } = sqlValuesOf(database);
  const isGood = () => ['expiresAt', '>', moment(new Date())] as const;

  async function insert(inTurn: Kysely<InvitationTables>, { email, roles, days, invitedBy }: NewInvitation) {
    await inTurn.deleteFrom('invitation').where('email', '=', email.toLowerCase()).execute();
    await inTurn.deleteFrom('invitation').where('expiresAt', '<=', moment(new Date())).execute();
    await assertRoom(inTurn);
    const text = newSecret();
    const now = Date.now();
    const stored = await inTurn
      .insertInto('invitation')
      .values({
        id: randomBytes(ID_BYTES).toString('hex'),
        email: email.toLowerCase(),
        hash: hashOfSecret(text),
        roles: names(roles),
        invitedBy,
        createdAt: moment(new Date(now)),
        expiresAt: moment(new Date(now + days * DAY_MS)),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...invitationOf(stored), text };
  }

  return {
    // If two administrators replace an invitation at once, the second finds that of the first.
    invite: (invitation) =>
      database.inTurn('invitations', () =>
        orUnavailable(() => rows.transaction().execute((inTurn) => insert(inTurn, invitation))),
      ),
    async list() {
      const found = await orUnavailable(() =>
        rows
          .selectFrom('invitation')
          .selectAll()
          .where(...isGood())
          .orderBy('email')
          .limit(MOST_INVITATIONS)
          .execute(),
      );
      return found.map(invitationOf);
    },
    async find(text, email) {
      const found = await orUnavailable(() =>
        rows
          .selectFrom('invitation')
          .selectAll()
          .where('email', '=', email.toLowerCase())
          .where('hash', '=', hashOfSecret(text))
          .where(...isGood())
          .executeTakeFirst(),
      );
      return found && invitationOf(found);
    },
    async withdraw(id) {
      const [gone] = await orUnavailable(() =>
        rows.deleteFrom('invitation').where('id', '=', id).returningAll().execute(),
      );
      return gone && invitationOf(gone);
    },
  };
}

/** The URL of the screen where the invited user signs up. */
export function invitationUrl(baseUrl: string, { email, text }: { email: string; text: string }): string {
  return `${baseUrl}/app/sign-up?${new URLSearchParams({ email, invitation: text })}`;
}

async function assertRoom(rows: Kysely<InvitationTables>): Promise<void> {
  const { number } = await rows
    .selectFrom('invitation')
    .select(({ fn }) => fn.countAll().as('number'))
    .executeTakeFirstOrThrow();
  if (Number(number) < MOST_INVITATIONS) return;
  const message = `There are already ${MOST_INVITATIONS} open invitations: withdraw one first.`;
  throw new GatewayError('Conflict', message);
}

function invitationOf({ id, email, roles, invitedBy, createdAt, expiresAt }: Stored): Invitation {
  return {
    id,
    email,
    roles: readNames(roles),
    invitedBy,
    createdAt: readMoment(createdAt),
    expiresAt: readMoment(expiresAt),
  };
}

/** The table of invitations, in the format of better-auth's migrations. */
export const invitationSchema = {
  invitation: {
    fields: {
      email: { type: 'string', required: true, unique: true },
      hash: { type: 'string', required: true },
      roles: { type: 'string[]', required: true },
      invitedBy: { type: 'string', required: false },
      createdAt: { type: 'date', required: true },
      expiresAt: { type: 'date', required: true },
    },
  },
} as const;

type InvitationTables = {
  readonly invitation: {
    readonly id: string;
    readonly email: string;
    readonly hash: string;
    readonly roles: unknown;
    readonly invitedBy: string | null;
    readonly createdAt: unknown;
    readonly expiresAt: unknown;
  };
};
