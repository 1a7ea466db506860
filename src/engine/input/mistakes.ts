import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import { isObject } from '../../core/json-object.ts';
import { shorten } from '../../core/shorten.ts';

/** More than so many are not told: a body of a mebibyte could have as many as it has values. */
const MAX_MISTAKES = 100;

/** Collects what is wrong with a request's body, so that all of it is told at once. */
export class Mistakes {
  readonly #details: ErrorDetail[] = [];

  /** `path` leads to the value: `Address/City`, `Tags/0`. */
  add(path: string, expected: string, found: string): void {
    if (this.#details.length === MAX_MISTAKES) return;
    const target = shorten(path);
    this.#details.push({
      code: 'BadRequest',
      message: `${target}: expected ${expected}, found ${found}.`,
      target,
    });
  }

  /** Throws a BadRequest in the words of the first mistake, with a detail for each other: clients show all of them. */
  throwIfAny(): void {
    const [first, ...details] = this.#details;
    if (first === undefined) return;
    throw new GatewayError('BadRequest', first.message, {
      ...(first.target !== undefined && { target: first.target }),
      details,
    });
  }
}

/** The path of a member, or of an item, of what is at a path. */
export function pathTo(path: string, step: string | number): string {
  return path === '' ? String(step) : `${path}/${step}`;
}

/** Text of the client's for a message. */
export function quote(text: string): string {
  return `"${shorten(text)}"`;
}

/** What a client says of an entity or a complex value, by the names of the model. */
export type InputObject = Readonly<Record<string, unknown>>;

export function isInputObject(value: unknown): value is InputObject {
  return isObject(value) && !(value instanceof ExactNumber);
}

/** What a message says of a value: its kind in JSON, and nothing of what it holds. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'a number';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
