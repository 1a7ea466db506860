const KIB = 1024;
const MIB = 1024 * KIB;

/** A limit that operators can set: its variable and range. */
export interface RequestLimit {
  readonly variable: string;
  /** In units of the variable, like the least and the most. */
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
  /** The size of the variable's unit; 1 by default. */
  readonly unit?: number;
  /** A sentence in Markdown for operators: the limited quantity, and the consequence. */
  readonly meaning: string;
}

/** All limits of a request, by topic. */
export const REQUEST_LIMITS = {
  /** Limits of the URL of an OData request; counted while it is parsed. */
  url: {
    length: {
      variable: 'URL_LENGTH',
      fallback: 8192,
      least: 256,
      most: 65_536,
      meaning:
        'characters of the URL after the host; 414. A longer query can be sent in the body of a POST to `/$query`',
    },
    nodes: {
      variable: 'QUERY_NODES',
      fallback: 100,
      least: 1,
      most: 5000,
      meaning:
        'operators, calls, names and literals in one query option; with aliases and computed properties, ten times as many altogether',
    },
    literals: {
      variable: 'QUERY_LITERALS',
      fallback: 5000,
      least: 1,
      most: 1_000_000,
      meaning: 'literals in the lists of one query option, such as those of `in`',
    },
    depth: {
      variable: 'QUERY_DEPTH',
      fallback: 30,
      least: 1,
      most: 200,
      meaning: 'parentheses and calls inside each other',
    },
    expandDepth: {
      variable: 'QUERY_EXPAND_DEPTH',
      fallback: 4,
      least: 0,
      most: 10,
      meaning: '`$expand` inside `$expand`, and `$levels`: `max` ends there',
    },
    lambdaDepth: {
      variable: 'QUERY_LAMBDA_DEPTH',
      fallback: 3,
      least: 0,
      most: 10,
      meaning: '`any` and `all` inside each other',
    },
    orderByItems: {
      variable: 'QUERY_ORDERBY_ITEMS',
      fallback: 5,
      least: 1,
      most: 100,
      meaning: 'items of `$orderby`',
    },
  },
  /** Limits of the work for a request in OData and GraphQL; charged where the work is done. */
  budget: {
    rows: {
      variable: 'QUERY_ROWS',
      fallback: 500_000,
      least: 1,
      most: 100_000_000,
      meaning:
        'rows that are combined: by `$expand`, `$apply`, `$crossjoin`, paths in expressions, GraphQL relations',
    },
    items: {
      variable: 'QUERY_ITEMS',
      fallback: 20_000_000,
      least: 1,
      most: 999_999_999,
      meaning:
        'items of collections for which conditions are evaluated; they multiply for collections inside collections',
    },
    rowItems: {
      variable: 'QUERY_ROW_ITEMS',
      fallback: 500_000,
      least: 1,
      most: 999_999_999,
      meaning:
        'those of them for a single row, during which no other request is served; conditions with many operators, long texts or patterns count as more',
    },
    textLength: {
      variable: 'QUERY_TEXT_LENGTH',
      fallback: 1_000_000,
      least: 1,
      most: 100_000_000,
      meaning: 'characters of one text that an expression makes',
    },
    characters: {
      variable: 'QUERY_TEXT_CHARACTERS',
      fallback: 100_000_000,
      least: 1,
      most: 999_999_999,
      meaning: 'characters of all these texts together',
    },
    matchSteps: {
      variable: 'QUERY_MATCH_STEPS',
      fallback: 1_000_000,
      least: 1,
      most: 100_000_000,
      meaning: 'for `matchesPattern`: characters of the text times the size of the pattern',
    },
    milliseconds: {
      variable: 'QUERY_MS',
      fallback: 10_000,
      least: 1,
      most: 600_000,
      meaning: 'milliseconds of processor time for the query and for writing its answer',
    },
    answerBytes: {
      variable: 'ANSWER_MIB',
      fallback: 128,
      least: 1,
      most: 480,
      unit: MIB,
      meaning: 'the answer; all answers of a batch together',
    },
  },
  batch: {
    requests: {
      variable: 'BATCH_REQUESTS',
      fallback: 1000,
      least: 1,
      most: 100_000,
      meaning: 'requests in one batch',
    },
  },
  graphql: {
    depth: {
      variable: 'GRAPHQL_DEPTH',
      fallback: 12,
      least: 1,
      most: 50,
      meaning: 'selections inside each other in a document',
    },
    aliases: {
      variable: 'GRAPHQL_ALIASES',
      fallback: 15,
      least: 0,
      most: 10_000,
      meaning: 'aliases in a document',
    },
    tokens: {
      variable: 'GRAPHQL_TOKENS',
      fallback: 1000,
      least: 1,
      most: 100_000,
      meaning: 'tokens of a document',
    },
    directives: {
      variable: 'GRAPHQL_DIRECTIVES',
      fallback: 50,
      least: 0,
      most: 10_000,
      meaning: 'directives in a document',
    },
    bodyBytes: {
      variable: 'GRAPHQL_BODY_KIB',
      fallback: 100,
      least: 1,
      most: 102_400,
      unit: KIB,
      meaning: 'one body of a GraphQL request; 413',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RequestLimit>>>>;

type Table = typeof REQUEST_LIMITS;

/** The limits of a topic, in the units that the code counts in. */
export type LimitsOf<About extends keyof Table> = { readonly [Name in keyof Table[About]]: number };

export type RequestLimits = { readonly [About in keyof Table]: LimitsOf<About> };

type KnownLimit = { readonly [About in keyof Table]: Table[About][keyof Table[About]] }[keyof Table];

/** Reads all limits. */
export function requestLimits(read: (limit: KnownLimit) => number): RequestLimits {
  const group = (limits: Readonly<Record<string, KnownLimit>>) =>
    Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [name, read(limit) * ('unit' in limit ? limit.unit : 1)]),
    );
  const all = Object.entries(REQUEST_LIMITS).map(([about, limits]) => [about, group(limits)]);
  return Object.fromEntries(all) as RequestLimits;
}

/** The limits if no variable is set. */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = requestLimits(({ fallback }) => fallback);

const MEBIBYTE = 1024 * 1024;

/** Limits of reading one list over all of its pages. */
export const PAGE_LIMITS = {
  rows: {
    variable: 'PAGES_ROWS',
    fallback: 1_000_000,
    least: 1,
    most: 100_000_000,
    meaning:
      'rows that are read of one list whose API returns pages, if the answer needs all of them at once; a list that is passed on while it is read has `EXPORT_ROWS`',
  },
  bytes: {
    variable: 'PAGES_MIB',
    fallback: 256,
    least: 1,
    most: 16_384,
    unit: MEBIBYTE,
    meaning: 'MiB that are read of one such list; of a list that is passed on, of each page',
  },
  time: {
    variable: 'PAGES_TIMEOUT_MS',
    fallback: 60_000,
    least: 1,
    most: 3_600_000,
    meaning: 'how long reading all its pages may take; of a list that is passed on, each page',
  },
  exportRows: {
    variable: 'EXPORT_ROWS',
    fallback: 10_000_000,
    least: 1,
    most: 1_000_000_000,
    meaning: 'rows that are read of one list that is passed on while it is read, or aggregated page by page',
  },
  exportsAtOnce: {
    variable: 'EXPORTS_AT_ONCE',
    fallback: 2,
    least: 1,
    most: 10_000,
    meaning:
      'such lists of one user that are being read at once. Further ones are held as a whole; beyond `PAGES_ROWS` 429 with `Retry-After`',
  },
} as const satisfies Readonly<Record<string, RequestLimit>>;

/** The limits in the units that the code counts in. */
export type PageLimits = Readonly<Record<keyof typeof PAGE_LIMITS, number>>;

/** Reads the limits of pages. */
export function pageLimits(read: (limit: (typeof PAGE_LIMITS)[keyof PageLimits]) => number): PageLimits {
  const { rows, bytes, time, exportRows, exportsAtOnce } = PAGE_LIMITS;
  return {
    rows: read(rows),
    bytes: read(bytes) * bytes.unit,
    time: read(time),
    exportRows: read(exportRows),
    exportsAtOnce: read(exportsAtOnce),
  };
}

export const DEFAULT_PAGE_LIMITS: PageLimits = pageLimits(({ fallback }) => fallback);
