import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import { isObject } from '../../core/json-object.ts';
import { shorten } from '../../core/shorten.ts';

/** Maximum number of reported mistakes. */
const MAX_MISTAKES = 100;

/** Collects the mistakes in a request's body, to report them together. */
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

/** The input for an entity or complex value, by the model's names. */
export type InputObject = Readonly<Record<string, unknown>>;

export function isInputObject(value: unknown): value is InputObject {
  return isObject(value) && !(value instanceof ExactNumber);
}

/** The kind of a JSON value for messages, without its content. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'a number';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
