import type { AccountsDatabase } from '../database/accounts-database.ts';
import { orUnavailable } from '../database/accounts-store.ts';
import { readFlag, readMoment, sqlValuesOf } from '../database/sql-values.ts';
import { AUDIT_EVENTS, type AuditEvent, auditEvent, type StoredEvent } from './audit-table.ts';

/** Where a page of events begins: what is earlier than that moment, or was written at it with a lesser id. */
export interface AuditPlace {
  readonly at: Date;
  readonly id?: string | undefined;
}

/** Some events, the latest first. */
export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Behind the last of them; undefined where nothing is. */
  readonly next: Required<AuditPlace> | undefined;
}

type Tables = {
  readonly [AUDIT_EVENTS]: Omit<StoredEvent, 'at' | 'refused'> & {
    readonly id: string;
    readonly at: unknown;
    readonly refused: unknown;
  };
};

/** Several processes may write at the same moment: the ids tell their events apart. */
export async function readAuditPage(
  database: AccountsDatabase,
  most: number,
  before: AuditPlace | undefined,
): Promise<AuditPage> {
  const { moment } = sqlValuesOf(database);
  const found = await orUnavailable(() =>
    database.tables
      .withTables<Tables>()
      .selectFrom(AUDIT_EVENTS)
      .selectAll()
      .$if(before !== undefined, (events) =>
        events.where((is) => {
          const at = moment(before?.at ?? new Date());
          const earlier = is.eb('at', '<', at);
          if (before?.id === undefined) return earlier;
          return is.or([earlier, is.and([is.eb('at', '=', at), is.eb('id', '<', before.id)])]);
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
    events: shown.map((row) =>
      auditEvent({ ...row, at: readMoment(row.at), refused: readFlag(row.refused) }),
    ),
    next: last && { at: readMoment(last.at), id: last.id },
  };
}
