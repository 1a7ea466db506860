const KIB = 1024;
const MIB = 1024 * KIB;

/** A limit that an operator can move: by which variable, and how far. */
export interface RequestLimit {
  readonly variable: string;
  /** In units of the variable, as are the least and the most that it may be. */
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
  /** What one of the variable's units stands for; 1 where it is not given. */
  readonly unit?: number;
}

/** All limits of what one request may ask for, by what they are about. */
export const REQUEST_LIMITS = {
  /** Of what is written in the URL of an OData request; counted while it is parsed. */
  url: {
    /** Characters of the URL behind the host. */
    length: { variable: 'URL_LENGTH', fallback: 8192, least: 256, most: 65_536 },
    /** Expressions and path segments in one query option, or segments in the path; but for literals in lists. */
    nodes: { variable: 'QUERY_NODES', fallback: 100, least: 1, most: 5000 },
    /** Literals in the lists of one query option. */
    literals: { variable: 'QUERY_LITERALS', fallback: 5000, least: 1, most: 1_000_000 },
    /** Parentheses, function calls, unary operators, lists and nested options inside each other. */
    depth: { variable: 'QUERY_DEPTH', fallback: 30, least: 1, most: 200 },
    /** `$expand` in `$expand`, and the number in `$levels`. */
    expandDepth: { variable: 'QUERY_EXPAND_DEPTH', fallback: 4, least: 0, most: 10 },
    /** `any` and `all` inside each other. */
    lambdaDepth: { variable: 'QUERY_LAMBDA_DEPTH', fallback: 3, least: 0, most: 10 },
    orderByItems: { variable: 'QUERY_ORDERBY_ITEMS', fallback: 5, least: 1, most: 100 },
  },
  /** Of what a request comes to, in OData and GraphQL; charged where the work is done. */
  budget: {
    /** Rows that are put together: related to others, multiplied, or put into others. */
    rows: { variable: 'QUERY_ROWS', fallback: 500_000, least: 1, most: 100_000_000 },
    /** Items of collections that conditions are evaluated for: with sets within sets they multiply. */
    items: { variable: 'QUERY_ITEMS', fallback: 20_000_000, least: 1, most: 999_999_999 },
    /** Those of them for one row, during which nobody else is served; other work for it counts as items, too. */
    rowItems: { variable: 'QUERY_ROW_ITEMS', fallback: 500_000, least: 1, most: 999_999_999 },
    /** Characters of one text that an expression makes. */
    textLength: { variable: 'QUERY_TEXT_LENGTH', fallback: 1_000_000, least: 1, most: 100_000_000 },
    /** Characters of all of them together. */
    characters: { variable: 'QUERY_TEXT_CHARACTERS', fallback: 100_000_000, least: 1, most: 999_999_999 },
    /** Characters of a text that a pattern is looked for in, times the size of the pattern. */
    matchSteps: { variable: 'QUERY_MATCH_STEPS', fallback: 1_000_000, least: 1, most: 100_000_000 },
    /** Milliseconds of the processor's time. */
    milliseconds: { variable: 'QUERY_MS', fallback: 10_000, least: 1, most: 600_000 },
    answerBytes: { variable: 'ANSWER_MIB', fallback: 128, least: 1, most: 480, unit: MIB },
  },
  /** Of one batch. */
  batch: {
    requests: { variable: 'BATCH_REQUESTS', fallback: 1000, least: 1, most: 100_000 },
  },
  /** Of a GraphQL document. */
  graphql: {
    depth: { variable: 'GRAPHQL_DEPTH', fallback: 12, least: 1, most: 50 },
    aliases: { variable: 'GRAPHQL_ALIASES', fallback: 15, least: 0, most: 10_000 },
    tokens: { variable: 'GRAPHQL_TOKENS', fallback: 1000, least: 1, most: 100_000 },
    directives: { variable: 'GRAPHQL_DIRECTIVES', fallback: 50, least: 0, most: 10_000 },
    /** Calls for related data that one request makes. */
    bodyBytes: { variable: 'GRAPHQL_BODY_KIB', fallback: 100, least: 1, most: 102_400, unit: KIB },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RequestLimit>>>>;

type Table = typeof REQUEST_LIMITS;

/** What the limits about something are, in the units that the code counts in. */
export type LimitsOf<About extends keyof Table> = { readonly [Name in keyof Table[About]]: number };

export type RequestLimits = { readonly [About in keyof Table]: LimitsOf<About> };

/** The limits as they are told of. */
export function requestLimits(read: (limit: RequestLimit) => number): RequestLimits {
  const group = (limits: Readonly<Record<string, RequestLimit>>) =>
    Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [name, read(limit) * (limit.unit ?? 1)]),
    );
  const all = Object.entries(REQUEST_LIMITS).map(([about, limits]) => [about, group(limits)]);
  return Object.fromEntries(all) as RequestLimits;
}

/** What they are where nobody has moved them. */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = requestLimits(({ fallback }) => fallback);
