import { type Kysely, sql } from 'kysely';
import { type AccountsPlace, openAccountsDatabase } from '../../../src/auth/database/accounts-database.ts';
import { createLogger } from '../../../src/server/logger.ts';

/** The accounts of a gateway that one user has signed in to. */
interface Sessions {
  /** Adds users like the given one, with one session each, up to the number. */
  fill(sessions: number): Promise<void>;
  close(): Promise<void>;
}

/** A query that takes longer is given up. */
const AT_ONCE = 50_000;

export function tokenOfSession(number: number): string {
  return `session-${number}`;
}

/** Opens the accounts of a gateway; `like` is the e-mail address of the user to copy. */
export async function openSessions(place: AccountsPlace, like: string): Promise<Sessions> {
  const { tables, close } = await openAccountsDatabase(place, createLogger({ level: 'silent' }));
  let filled = 0;
  return {
    async fill(sessions) {
      while (filled < sessions) {
        const last = Math.min(sessions, filled + AT_ONCE);
        await addUsers(tables, like, filled + 1, last);
        filled = last;
      }
    },
    close,
  };
}

/** Columns that all have in common. */
const USER = sql.raw('"name", "emailVerified", "createdAt", "updatedAt", "roles", "disabled"');
const SESSION = sql.raw('"expiresAt", "createdAt", "updatedAt"');

async function addUsers(tables: Kysely<unknown>, like: string, first: number, last: number): Promise<void> {
  const numbers = sql`WITH RECURSIVE numbers (number) AS (
    SELECT ${sql.lit(first)} UNION ALL SELECT number + 1 FROM numbers WHERE number < ${sql.lit(last)}
  )`;
  await sql`${numbers}
    INSERT INTO "user" ("id", "email", ${USER})
    SELECT 'user-' || number, number || '@example.com', ${USER} FROM numbers, "user" WHERE "email" = ${like}`.execute(
    tables,
  );
  await sql`${numbers}
    INSERT INTO "session" ("id", "token", "userId", ${SESSION})
    SELECT 'id-' || number, 'session-' || number, 'user-' || number, ${SESSION}
    FROM numbers, (SELECT ${SESSION} FROM "session" LIMIT 1) AS "one"`.execute(tables);
}
