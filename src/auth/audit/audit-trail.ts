import { sql } from 'kysely';
import type { AuditedAct } from '../../contract/audit.ts';
import type { AuditEvent } from '../../contract/audit-event.ts';
import type { Log } from '../../contract/log.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { type AccountsStore, orUnavailable } from '../database/accounts-store.ts';
import { readFlag, readMoment, sqlValuesOf } from '../database/sql-values.ts';
import { networkOf } from '../requests/client-address.ts';

/** An action, with its actor and address. */
interface RecordedAct extends AuditedAct {
  /** The e-mail address of the account, or {@link OPERATOR}. */
  readonly actor?: string | undefined;
  /** The id of the account, if its address has yet to be looked up. */
  readonly userId?: string | undefined;
  readonly address?: string | undefined;
  readonly request?: string | undefined;
}

/** The actor of the commands of `duogate`. */
export const OPERATOR = 'command line';

/**
 * Writes events to the accounts' database and to the log. Writing happens after the response, so that no
 * request waits for it or fails because of it.
 */
export interface AuditTrail {
  note(deed: RecordedAct): void;
  /** Events before a position, newest first. */
  latest(most: number, before?: AuditPlace): Promise<AuditPage>;
  /** Resolves when all recorded events are written or have failed. */
  close(): Promise<void>;
}

interface AuditTrailOptions {
  readonly database: AccountsDatabase;
  readonly store: AccountsStore;
  readonly log: Log;
}

/** Maximum number of events that wait while the database is unavailable; more are dropped. */
const MOST_UNWRITTEN = 10_000;
const MINUTE_MS = 60_000;
/**
 * Maximum numbers of rejected actions written per minute, by network and in all: an attack must not fill the
 * disk.
 */
const REFUSED_OF_NETWORK = 20;
const REFUSED_OF_ALL = 600;

export function createAuditTrail({ database, store, log }: AuditTrailOptions): AuditTrail {
  const unwritten: (RecordedAct & { readonly at: Date })[] = [];
  const refusals = new Refusals();
  let writing: Promise<void> | undefined;
  let last = 0;

  /** Strictly increasing, so that the events of one process keep their order. */
  function moment(): Date {
    last = Math.max(Date.now(), last + 1);
    return new Date(last);
  }

  async function write(): Promise<void> {
    for (let deed = unwritten.shift(); deed !== undefined; deed = unwritten.shift()) {
      try {
        await store.create(AUDIT_EVENTS, { ...(await storedEvent(deed, store)) });
      } catch (err) {
        log.error(
          { err, action: deed.action, request: deed.request },
          'an audit record could not be written',
        );
      }
    }
  }

  function writeSoon(): void {
    writing ??= Promise.resolve()
      .then(write)
      .finally(() => {
        writing = undefined;
        if (unwritten.length > 0) writeSoon();
      });
  }

  return {
    note(deed) {
      const { action, subject, actor, userId, address, request, isRefused = false } = deed;
      log.info({ id: request, user: userId, actor, subject, address, refused: isRefused }, action);
      const isKept = !isRefused || refusals.isOneOfFew(address ?? '');
      if (!isKept || unwritten.length >= MOST_UNWRITTEN) return;
      unwritten.push({ ...deed, at: moment() });
      writeSoon();
    },
    async latest(most, before) {
      await writing;
      return readAuditPage(database, most, before);
    },
    async close() {
      while (writing !== undefined) await writing;
    },
  };
}

async function storedEvent(
  { at, action, subject, isRefused, actor, userId, address, request }: RecordedAct & { readonly at: Date },
  store: AccountsStore,
): Promise<StoredEvent> {
  const who = actor ?? (userId && (await emailOf(userId, store)));
  const optional = {
    actor: who ?? null,
    subject: subject ?? null,
    address: address ?? null,
    request: request ?? null,
  };
  return { at, action, refused: isRefused ?? false, ...optional };
}

/** Returns the id if no account has it any more, or if another issuer assigned it. */
async function emailOf(id: string, store: AccountsStore): Promise<string> {
  return (await store.userById(id))?.email ?? id;
}

/** Counts rejected actions per minute. */
class Refusals {
  #minute = 0;
  #all = 0;
  #of = new Map<string, number>();

  isOneOfFew(address: string): boolean {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#all = 0;
      this.#of = new Map();
    }
    const network = networkOf(address);
    const count = (this.#of.get(network) ?? 0) + 1;
    if (count > REFUSED_OF_NETWORK || this.#all >= REFUSED_OF_ALL) return false;
    this.#of.set(network, count);
    this.#all += 1;
    return true;
  }
}

/** The table of audit events, in the format of better-auth's migrations. */
export const auditSchema = {
  auditEvent: {
    fields: {
      at: { type: 'date', required: true },
      actor: { type: 'string', required: false },
      action: { type: 'string', required: true },
      subject: { type: 'string', required: false },
      refused: { type: 'boolean', required: true },
      address: { type: 'string', required: false },
      request: { type: 'string', required: false },
    },
  },
} as const satisfies { readonly auditEvent: { readonly fields: Record<keyof AuditEvent, object> } };

const AUDIT_EVENTS = 'auditEvent';

interface StoredEvent extends Omit<AuditEvent, 'at'> {
  readonly at: Date;
}

/** The start of a page: events before the moment, or at the moment with a smaller id. */
export interface AuditPlace {
  readonly at: Date;
  readonly id?: string | undefined;
}

/** Events, newest first. */
interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** The position after the last event; undefined on the last page. */
  readonly next: Required<AuditPlace> | undefined;
}

type Tables = {
  readonly [AUDIT_EVENTS]: Omit<AuditEvent, 'at' | 'refused'> & {
    readonly id: string;
    readonly at: unknown;
    readonly refused: unknown;
  };
};

/** Orders events of the same moment by id, because several processes may write at once. */
async function readAuditPage(
  database: AccountsDatabase,
  most: number,
  before: AuditPlace | undefined,
): Promise<AuditPage> {
  const { moment } = sqlValuesOf(database);
  const found = await orUnavailable(() =>
    database.records
      .withTables<Tables>()
      .selectFrom(AUDIT_EVENTS)
      .selectAll()
      .$if(before !== undefined, (events) =>
        events.where((is) => {
          const at = moment(before?.at ?? new Date());
          if (before?.id === undefined) return is.eb('at', '<', at);
          // A comparison of rows can use the index, so late pages are as fast as early ones.
          return sql<boolean>`(${sql.ref('at')}, ${sql.ref('id')}) < (${at}, ${before.id})`;
        }),
      )
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(most + 1)
      .execute(),
  );
  const shown = found.slice(0, most);
  const last = found.length > most ? shown.at(-1) : undefined;
  return {
    events: shown.map(({ id: _, ...row }) => ({
      ...row,
      at: readMoment(row.at).toISOString(),
      refused: readFlag(row.refused),
    })),
    next: last && { at: readMoment(last.at), id: last.id },
  };
}
