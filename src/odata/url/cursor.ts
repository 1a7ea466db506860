import { GatewayError } from '../../contract/gateway-error.ts';
import { DEFAULT_REQUEST_LIMITS, type LimitsOf, REQUEST_LIMITS } from '../../contract/request-limits.ts';

/** A grammar rule: reads from the cursor and leaves it behind what was read. */
export type Parse<Result> = (cursor: Cursor) => Result;

type Nesting = 'depth' | 'expandDepth' | 'lambdaDepth';

const NESTING: Readonly<Record<Nesting, string>> = {
  depth: 'levels of nesting',
  expandDepth: 'levels of $expand',
  lambdaDepth: 'nested any or all',
};

const FOUND_LENGTH = 40;
const IDENTIFIER_LENGTH = 128;
const NOWHERE: ReadonlySet<number> = new Set();

// Each of these is one run of one class of characters, so none of them can backtrack.
const SPACE = /[ \t]*/y;
const WORD = /[a-z]+/iy;
const IDENTIFIER = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*/uy;

/** What decoding has made equal and the grammar tells apart, by its positions in the decoded text. */
type Encodings = Pick<Cursor, 'slashes' | 'encodedSemicolons'>;

/** Walks once over the decoded text of a path or of an option's value, and counts against the limits. */
export class Cursor {
  readonly text: string;
  /** What the text is, for messages: the name of the option, or `resource path`. */
  readonly subject: string;
  readonly limits: UrlLimits;
  /** Where a slash of the text was not percent-encoded: those separate segments, the others are data. */
  readonly slashes: ReadonlySet<number>;
  /** Where a semicolon of the text was percent-encoded: those are data, the others separate. */
  readonly encodedSemicolons: ReadonlySet<number>;
  position = 0;
  /** Where a time must end: in the condition of a `case`, a colon may end a number, too. */
  timesEnd = Number.POSITIVE_INFINITY;
  #nodes = 0;
  #literals = 0;
  readonly #nesting: Record<Nesting, number> = { depth: 0, expandDepth: 0, lambdaDepth: 0 };

  constructor(
    subject: string,
    text: string,
    limits: UrlLimits,
    { slashes = NOWHERE, encodedSemicolons = NOWHERE }: Partial<Encodings> = {},
  ) {
    this.subject = subject;
    this.text = text;
    this.limits = limits;
    this.slashes = slashes;
    this.encodedSemicolons = encodedSemicolons;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  at(token: string): boolean {
    return this.text.startsWith(token, this.position);
  }

  take(token: string): boolean {
    const found = this.at(token);
    if (found) this.position += token.length;
    return found;
  }

  expect(token: string): void {
    if (!this.take(token)) this.fail(token);
  }

  expectEnd(expected = 'the end'): void {
    this.skipSpace();
    if (!this.done) this.fail(expected);
  }

  /** Takes what the pattern matches here. The pattern must be sticky and linear. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  /** BWS: space that may be there. Says whether it was. */
  skipSpace(): boolean {
    return this.match(SPACE) !== '';
  }

  /** The ASCII word behind the required space at the cursor, in lower case, without taking it. */
  peekSpacedWord(): string | undefined {
    const start = this.position;
    const word = this.skipSpace() ? this.match(WORD)?.toLowerCase() : undefined;
    this.position = start;
    return word;
  }

  /** RWS word RWS: takes a keyword between spaces. Keywords are case-insensitive. */
  takeSpacedWord(word: string): boolean {
    if (this.peekSpacedWord() !== word) return false;
    this.skipSpace();
    this.position += word.length;
    return true;
  }

  /** odataIdentifier: at most 128 characters, `_` or a letter first. */
  takeIdentifier(): string | undefined {
    const start = this.position;
    const name = this.match(IDENTIFIER);
    if (name !== undefined && name.length > IDENTIFIER_LENGTH && [...name].length > IDENTIFIER_LENGTH) {
      this.fail(`a name of at most ${IDENTIFIER_LENGTH} characters`, start);
    }
    return name;
  }

  /** odataIdentifier *( "." odataIdentifier ). */
  takeQualifiedName(): string | undefined {
    const start = this.position;
    if (this.takeIdentifier() === undefined) return undefined;
    for (let end = this.position; ; end = this.position) {
      if (this.take('.') && this.takeIdentifier() !== undefined) continue;
      this.position = end;
      return this.text.slice(start, end);
    }
  }

  expectIdentifier(what = 'a name'): string {
    return this.takeIdentifier() ?? this.fail(what);
  }

  expectQualifiedName(what = 'a name'): string {
    return this.takeQualifiedName() ?? this.fail(what);
  }

  /** `separator`-separated items, with space around the separators. */
  separated<Item>(separator: string, parse: Parse<Item>): readonly Item[] {
    const items: Item[] = [];
    do {
      this.skipSpace();
      items.push(parse(this));
    } while (this.takeSpaced(separator));
    return items;
  }

  /** BWS token. */
  takeSpaced(token: string): boolean {
    const start = this.position;
    this.skipSpace();
    if (this.take(token)) return true;
    this.position = start;
    return false;
  }

  /** Counts one more node of the tree. */
  countNode(position: number): void {
    this.#nodes += 1;
    if (this.#nodes > this.limits.nodes) this.failAtLimit('nodes', 'expressions', position);
  }

  /** Counts a node that is a literal in a list: it costs nothing to evaluate. */
  countLiteral(position: number): void {
    this.#nodes -= 1;
    this.#literals += 1;
    if (this.#literals > this.limits.literals) this.failAtLimit('literals', 'literals in lists', position);
  }

  /** How deep the cursor is now. */
  nesting(kind: Nesting): number {
    return this.#nesting[kind];
  }

  /** Parses one level deeper, unless that is too deep. */
  nest<Result>(kind: Nesting, parse: Parse<Result>): Result {
    const limit = this.limits[kind];
    if (this.#nesting[kind] >= limit) this.failAtLimit(kind, NESTING[kind], this.position);
    this.#nesting[kind] += 1;
    const result = parse(this);
    this.#nesting[kind] -= 1;
    return result;
  }

  /** Ends the parsing where there is more of something than there may be. */
  failAtLimit(limit: keyof UrlLimits, what: string, position: number, most = this.limits[limit]): never {
    this.#refuse(`at most ${most} ${what} (${limitName(limit)})`, position);
  }

  /** Ends the parsing: the one place where a syntax error is made. */
  fail(expected: string, position = this.position): never {
    return this.#refuse(expected, position);
  }

  #refuse(expected: string, position: number): never {
    const message = `${this.subject}: expected ${expected} at position ${position}, found ${this.#found(position)}`;
    throw new GatewayError('BadRequest', message, targetOf(this.subject));
  }

  #found(position: number): string {
    const rest = this.text.slice(position, position + FOUND_LENGTH).toWellFormed();
    if (rest === '') return 'the end';
    const shown = position + FOUND_LENGTH < this.text.length ? `${rest}…` : rest;
    // Forms write blanks so, URLs do not (Part 2, 2.1).
    return /^\+\D/.test(rest) ? `${shown} (write a space as %20)` : shown;
  }
}

/** An error's target is a query option or an alias; the path is none. */
export function targetOf(subject: string): { readonly target?: string } {
  return subject.startsWith('$') || subject.startsWith('@') ? { target: subject } : {};
}

/** How much a URL may ask for. Everything is counted while it is parsed, and before any recursion. */
export type UrlLimits = LimitsOf<'url'>;

export const DEFAULT_URL_LIMITS: UrlLimits = DEFAULT_REQUEST_LIMITS.url;

/** What a limit is called: errors name it, for whoever may move it. */
export function limitName(limit: keyof UrlLimits): string {
  return REQUEST_LIMITS.url[limit].variable;
}
