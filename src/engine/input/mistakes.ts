import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';

/** More than so many are not told: a body of a mebibyte could have as many as it has values. */
const MAX_MISTAKES = 100;
/** Of what a client sent, a message has so many characters. */
const MAX_QUOTED = 100;

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
  refuseAny(): void {
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

function shorten(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
