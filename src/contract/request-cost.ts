import { isAdministrator, type Principal } from './principal.ts';

/** Counts the upstream calls of one request. */
export class RequestCost {
  calls = 0;
  pages = 0;
  rows = 0;
  /** The calls that were answered by answers that are kept. */
  kept = 0;
  /** The greatest age of an answer that the client accepts, in milliseconds; 0: every answer is requested anew. */
  readonly mostAge: number;
  #age = 0;
  #rest = Number.POSITIVE_INFINITY;
  #underWay = 0;
  #begun = 0;
  #waited = 0;

  /** Milliseconds during which at least one call was running. */
  get waiting(): number {
    return this.#waited + (this.#underWay > 0 ? performance.now() - this.#begun : 0);
  }

  constructor(mostAge = Number.POSITIVE_INFINITY) {
    this.mostAge = mostAge;
  }

  /** The age of the oldest answer that was used, in milliseconds. */
  get age(): number {
    return this.#age;
  }

  /** The milliseconds for which all answers that were used may be used again; 0 without any. */
  get rest(): number {
    return this.#rest === Number.POSITIVE_INFINITY ? 0 : this.#rest;
  }

  /** Notes an answer of the upstream: how long it may be used again, and its age. */
  noteRead(rest: number, age = 0): void {
    this.#rest = Math.min(this.#rest, rest);
    this.#age = Math.max(this.#age, age);
  }

  noteKept(age: number, rest: number): void {
    this.kept += 1;
    this.noteRead(rest, age);
  }

  begin(): void {
    this.calls += 1;
    if (this.#underWay === 0) this.#begun = performance.now();
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#waited += performance.now() - this.#begun;
  }
}

/** The value of Server-Timing; undefined for principals that may not see it, and without calls. */
export function serverTiming(cost: RequestCost, principal: Principal): string | undefined {
  const isOpen = principal.kind === 'unrestricted';
  const isShown = isOpen || (principal.kind === 'user' && isAdministrator(principal));
  if (!isShown || cost.calls === 0) return undefined;
  const { calls, pages, rows, kept, age, waiting } = cost;
  const reused = kept > 0 ? { kept, age: `${Math.round(age / 1_000)} s` } : {};
  const counts = Object.entries({ calls: calls - kept, pages, rows, ...reused });
  const written = counts.map(([name, count]) => `${name};desc="${count}"`);
  return [...written, `waiting;dur=${waiting.toFixed(1)}`].join(', ');
}

/**
 * The greatest age that a Cache-Control field of a request accepts (RFC 9111, 5.2.1), in milliseconds; undefined without
 * such a directive.
 */
export function acceptedAge(cacheControl: string | undefined): number | undefined {
  if (cacheControl === undefined) return undefined;
  if (/(?:^|,)\s*no-(?:cache|store)\s*(?:,|$)/i.test(cacheControl)) return 0;
  const [, seconds] = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})"?\s*(?:,|$)/i.exec(cacheControl) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/**
 * The fields of a response about the answers that it was made of (RFC 9111, 5.1 and 5.2.2). A browser has one memory for
 * all who use it: what may be used again depends on who asks.
 */
export function freshnessFields(
  { rest, age, kept }: RequestCost,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const seconds = Math.floor(rest / 1_000);
  const isReusable = seconds > 0 && headers['cache-control']?.includes('no-cache') === true;
  const vary = [headers['vary'], 'authorization', 'cookie', 'x-api-key'].filter((name) => name !== undefined);
  return {
    ...(kept > 0 && { age: String(Math.round(age / 1_000)) }),
    ...(isReusable && { 'cache-control': `private, max-age=${seconds}`, vary: vary.join(', ') }),
  };
}
