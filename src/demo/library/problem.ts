/** What keeps a request from being answered (RFC 9457). */
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
