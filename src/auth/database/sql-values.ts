import type { AccountsDatabase } from './accounts-database.ts';

/** Encodes values of types that SQLite lacks. */
export interface SqlValues {
  flag(value: boolean): unknown;
  moment(value: Date): unknown;
  names(value: readonly string[]): string;
  /** The operator for a case-insensitive search; SQLite's ignores the case of ASCII letters only. */
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

/** A column that was added later than its table holds null for false. */
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

/** A LIKE pattern, with `\` as ESCAPE, for values that contain the text literally. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
