import type { AccountsDatabase } from './accounts-database.ts';

/** How a database takes what SQLite has no types for. */
export interface SqlValues {
  flag(value: boolean): unknown;
  moment(value: Date): unknown;
  names(value: readonly string[]): string;
  /** The operator that looks for a text in whatever case: in SQLite for the letters of ASCII alone. */
  readonly like: 'like' | 'ilike';
}

const SQLITE: SqlValues = {
  flag: (value) => (value ? 1 : 0),
  moment: (value) => value.toISOString(),
  names: (value) => JSON.stringify(value),
  like: 'like',
};

const POSTGRES: SqlValues = {
  flag: (value) => value,
  moment: (value) => value,
  names: (value) => JSON.stringify(value),
  like: 'ilike',
};

export function sqlValuesOf({ kind }: Pick<AccountsDatabase, 'kind'>): SqlValues {
  return kind === 'sqlite' ? SQLITE : POSTGRES;
}

/** Null, in a column that came later than the table, is false. */
export function readFlag(value: unknown): boolean {
  return value === true || value === 1;
}

export function readMoment(value: unknown): Date {
  return value instanceof Date ? value : new Date(String(value));
}

export function readNames(value: unknown): readonly string[] {
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return Array.isArray(list) ? list.map(String) : [];
}

/** A pattern of LIKE, with `\` as its ESCAPE, for whatever has the text in it: none of its characters stands for others. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
