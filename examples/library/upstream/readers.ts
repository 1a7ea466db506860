import { digitsOf, type ExactNumber } from './exact-json.ts';

/** Gives a JSON value its type, or throws a {@link Mismatch}. What is missing is undefined. */
export type Reader<T> = (value: unknown) => T;

/** The result of a reader. */
export type Read<R> = R extends Reader<infer T> ? T : never;

class Mismatch extends Error {
  readonly mistakes: readonly string[];

  constructor(...mistakes: readonly string[]) {
    super(mistakes.join('; '));
    this.mistakes = mistakes;
  }
}

/** Reads a request's body; all that is wrong with it is one problem. */
export function readBody<T>(reader: Reader<T>, body: unknown): T {
  try {
    return reader(body);
  } catch (error) {
    if (error instanceof Mismatch) throw new Problem(422, error.message);
    throw error;
  }
}

export function text(most: number, pattern = /^/): Reader<string> {
  return (value) => {
    if (typeof value === 'string' && value.length <= most && pattern.test(value)) return value;
    throw new Mismatch(
      `must be a string of at most ${most} characters${pattern.source === '^' ? '' : ` that fits ${pattern.source}`}`,
    );
  };
}

export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    throw new Mismatch(`must be one of ${words.join(', ')}`);
  };
}

export function integer(least: number, most: number): Reader<number> {
  return (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new Mismatch(`must be an integer from ${least} to ${most}`);
  };
}

export function degrees(most: number): Reader<number> {
  return (value) => {
    const number = Number(digitsOf(value));
    if (Math.abs(number) <= most) return number;
    throw new Mismatch(`must be a number from ${-most} to ${most}`);
  };
}

/** A number of which every digit counts. */
export function digits(pattern: RegExp, expected: string): Reader<number | ExactNumber> {
  return (value) => {
    const found = digitsOf(value);
    if (found !== undefined && pattern.test(found)) return value as number | ExactNumber;
    throw new Mismatch(`must be ${expected}`);
  };
}

export const boolean: Reader<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  throw new Mismatch('must be true or false');
};

export const date: Reader<string> = (value) => {
  if (typeof value === 'string' && isDate(value)) return value;
  throw new Mismatch('must be a date such as 2026-02-28');
};

function isDate(value: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** An optional value that may be null. */
export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value) => (value === undefined || value === null ? null : reader(value));
}

export function withDefault<T>(reader: Reader<T>, fallback: T): Reader<T> {
  return (value) => (value === undefined ? fallback : reader(value));
}

export function list<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Mismatch('must be a list');
    return value.map((item) => reader(item));
  };
}

type Fields = Readonly<Record<string, Reader<unknown>>>;
type RecordOf<F extends Fields> = { readonly [Name in keyof F]: Read<F[Name]> };

/** An object of these properties; others are dropped. All mistakes are reported together. */
export function record<F extends Fields>(fields: F): Reader<RecordOf<F>> {
  return (value) => {
    const object = objectOf(value);
    const mistakes: string[] = [];
    const entries = Object.entries(fields).map(([name, read]) => {
      try {
        return [name, read(object.get(name))];
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        mistakes.push(...error.mistakes.map((mistake) => placed(name, mistake)));
        return [name, undefined];
      }
    });
    if (mistakes.length > 0) throw new Mismatch(...mistakes);
    // Every field was read by its own reader.
    return Object.fromEntries(entries) as RecordOf<F>;
  };
}

function placed(name: string, mistake: string): string {
  return mistake.startsWith('must') ? `${name} ${mistake}` : `${name}.${mistake}`;
}

/** An object whose properties all have values of one type. */
export function map<T>(reader: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value) => Object.fromEntries([...objectOf(value)].map(([name, item]) => [name, reader(item)]));
}

function objectOf(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Mismatch('must be an object');
  }
  return new Map(Object.entries(value));
}

/** The error of a rejected request (RFC 9457). */
export class Problem extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, `There is no ${what}.`);
}
