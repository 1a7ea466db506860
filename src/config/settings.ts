import { PAGE_LIMITS, REQUEST_LIMITS, type RequestLimit } from '../core/request-limits.ts';

/** An environment variable: its allowed values, its default and its purpose. */
export type Setting = Described &
  (
    | { readonly kind: 'number'; readonly least: number; readonly most: number; readonly fallback?: number }
    | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly fallback: string }
    | { readonly kind: 'text'; readonly form: string; readonly fallback?: string; readonly isSecret?: true }
  );

interface Described {
  /** A sentence or two in Markdown. */
  readonly meaning: string;
  /** The default in Markdown, if it varies; missing if there is no default. */
  readonly default?: string;
}

type Settings = Readonly<Record<string, Setting>>;

const BASICS = {
  AUTH_SECRET: {
    kind: 'text',
    form: 'at least 32 characters',
    isSecret: true,
    default: 'none; required unless `AUTH=off`',
    meaning:
      'signs sessions and encrypts the credentials that are stored for APIs. Use a random value, the same on all instances',
  },
  AUTH: {
    kind: 'choice',
    choices: ['required', 'off'],
    fallback: 'required',
    meaning: '`off` lets everyone do everything; only on a loopback address',
  },
  SIGN_UP: {
    kind: 'choice',
    choices: ['open', 'invite', 'approve', 'off'],
    fallback: 'open',
    meaning:
      'who may sign up: everyone (`open`), invited people (`invite`), everyone once an administrator approves (`approve`), or nobody (`off`)',
  },
  HOST: {
    kind: 'text',
    form: 'an IP address or host name',
    fallback: '127.0.0.1',
    meaning: 'the address to listen on; `0.0.0.0` for all',
  },
  PORT: {
    kind: 'number',
    fallback: 4000,
    least: 0,
    most: 65_535,
    meaning: 'the port to listen on; 0 picks a free one',
  },
  BASE_URL: {
    kind: 'text',
    form: 'an http or https URL',
    default: 'from `HOST` and `PORT`',
    meaning: 'the public URL, which links, context URLs and `Location` start with; may include a path',
  },
  MESH_CONFIG: {
    kind: 'text',
    form: 'a file',
    fallback: '.meshrc.yaml',
    meaning: 'the project to serve: its sources, endpoints and headers',
  },
  EDITED_FILES: {
    kind: 'choice',
    choices: ['confirm', 'serve'],
    fallback: 'confirm',
    meaning:
      'what happens if edited files of the project take something away from users: `confirm` keeps serving the earlier version until the change is confirmed in the browser or the gateway is restarted; `serve` serves it at once',
  },
  DATABASE_URL: {
    kind: 'text',
    form: 'a file, or a `postgres://` URL',
    fallback: 'data/duogate.sqlite',
    isSecret: true,
    meaning:
      'where accounts, keys and the audit log are stored: a SQLite file, or PostgreSQL if there is more than one instance',
  },
  LOG_LEVEL: {
    kind: 'choice',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    fallback: 'info',
    meaning: 'the least severe messages that are logged',
  },
} as const satisfies Settings;

const ACCOUNTS = {
  PASSWORD_SIGN_IN: {
    kind: 'choice',
    choices: ['on', 'off'],
    fallback: 'on',
    meaning: '`off` if people sign in only through the providers of `OIDC_CLIENT_IDS`',
  },
  API_KEY_PARAMETER: {
    kind: 'text',
    form: '1 to 64 letters, digits, `_`, `.` or `-`',
    fallback: 'api_key',
    meaning: 'the query parameter that may carry an API key',
  },
  AUDIT_DAYS: {
    kind: 'number',
    fallback: 90,
    least: 1,
    most: 36_500,
    meaning: 'days for which the [audit log](accounts.md#who-has-done-what) is kept',
  },
  SMTP_URL: {
    kind: 'text',
    form: 'an `smtp://` or `smtps://` URL',
    isSecret: true,
    meaning:
      'the mail server, such as `smtps://user:password@mail.example.com`. [Mail](accounts.md#mail) confirms addresses, resets passwords and sends invitations; it needs `BASE_URL`',
  },
  MAIL_FROM: {
    kind: 'text',
    form: 'an e-mail address',
    meaning: 'the sender, such as `Duogate <duogate@example.com>`; needed with `SMTP_URL`',
  },
} as const satisfies Settings;

const PROVIDERS = {
  OIDC_ISSUERS: {
    kind: 'text',
    form: 'https URLs separated by commas',
    meaning: 'OpenID Connect providers that are trusted, by their issuer URL',
  },
  OIDC_AUDIENCE: {
    kind: 'text',
    form: 'names separated by commas',
    meaning: 'audiences that a token must be issued for to be accepted in requests',
  },
  OIDC_ROLE_CLAIM: {
    kind: 'text',
    form: 'a claim, or the path to it',
    fallback: 'roles',
    meaning: 'the claim that holds the roles',
  },
  OIDC_ROLES: {
    kind: 'text',
    form: 'pairs separated by commas',
    default: 'the same names',
    meaning: 'which role of the provider is which role here, such as `editor=User`',
  },
  OIDC_CLIENT_IDS: {
    kind: 'text',
    form: 'a list in the order of `OIDC_ISSUERS`',
    meaning: 'the client id at each provider, so that people can [sign in](#single-sign-on) through it',
  },
  OIDC_CLIENT_SECRET_FILES: {
    kind: 'text',
    form: 'a list in the order of `OIDC_ISSUERS`',
    meaning: 'the file with the client secret for each provider; none for a public client',
  },
  OIDC_NAMES: {
    kind: 'text',
    form: 'a list in the order of `OIDC_ISSUERS`',
    default: 'the host',
    meaning: 'the name of each provider on the sign-in page',
  },
  OIDC_TRUSTED_EMAIL: {
    kind: 'text',
    form: 'some of `OIDC_ISSUERS`',
    meaning:
      'providers whose verified e-mail addresses [connect to an existing account](accounts.md#single-sign-on)',
  },
} as const satisfies Settings;

const NETWORK = {
  TRUSTED_PROXIES: {
    kind: 'text',
    form: 'IP addresses or networks separated by commas',
    meaning: 'the proxies whose `X-Forwarded-For` is believed',
  },
  CORS_ORIGINS: {
    kind: 'text',
    form: 'origins separated by commas, or `*`',
    meaning: 'the origins whose pages may use `/odata` and `/graphql`; `*` is all of them, without cookies',
  },
  HEALTH_PORT: {
    kind: 'number',
    least: 0,
    most: 65_535,
    meaning:
      'a second port, on which a thread of its own answers `/health/live` and `/health/ready` however busy the gateway is; `live` is a 503 once the event loop has been blocked for ten seconds',
  },
  METRICS: {
    kind: 'text',
    form: '`off`, or IP addresses or networks separated by commas',
    default: 'this machine; with `TRUSTED_PROXIES` or a public `BASE_URL` only at `HEALTH_PORT`',
    meaning: 'who may read `/metrics`, such as `10.0.0.0/8`, there and at `HEALTH_PORT`',
  },
} as const satisfies Settings;

const FACES = {
  GRAPHQL_PERSISTED_QUERIES: {
    kind: 'choice',
    choices: ['on', 'off'],
    fallback: 'on',
    meaning: 'whether clients may send the hash of a [known document](graphql.md) instead of its text',
  },
  GRAPHQL_DOCUMENTS: {
    kind: 'text',
    form: 'a JSON file',
    meaning: 'the only GraphQL documents that are accepted, by their ids',
  },
  GRAPHQL_IDS: {
    kind: 'choice',
    choices: ['upstream', 'global'],
    fallback: 'upstream',
    meaning:
      'the field `id` in GraphQL: `upstream` is the property of the API, and `nodeId` the [global identifier](graphql.md#global-identifiers); `global` makes `id` global, and the property `rowId`',
  },
  GRAPHQL_NUMBERS: {
    kind: 'choice',
    choices: ['mixed', 'strings', 'numbers'],
    fallback: 'mixed',
    meaning:
      'the JSON of `Long` and `Decimal` in GraphQL: `mixed` is a number where it is exact in JavaScript and else a string; `strings` and `numbers` are always the same, with all digits',
  },
  FEDERATION: {
    kind: 'choice',
    choices: ['on', 'off'],
    fallback: 'off',
    meaning: '`on` makes the GraphQL schema a [subgraph of Apollo Federation](graphql.md#federation)',
  },
  VOCABULARIES: {
    kind: 'choice',
    choices: ['served', 'referenced'],
    fallback: 'served',
    meaning:
      'whether `$metadata` references the copies of the OASIS vocabularies at `/odata/$vocabularies`, or the originals on the Internet',
  },
} as const satisfies Settings;

const UPSTREAMS = {
  READ_ONLY: {
    kind: 'choice',
    choices: ['on', 'off'],
    fallback: 'off',
    meaning:
      '`on` sends no change to any API, in OData, GraphQL and the test console: 403 with the code `ReadOnly`; `$metadata` and the schema show none',
  },
  UPSTREAM_URL: {
    kind: 'text',
    form: 'an http or https URL',
    default: '`servers[0]` of the document',
    meaning: 'the API behind the source named `Posts`, or an API management product in front of it',
  },
  REGISTRY_HOSTS: {
    kind: 'text',
    form: 'hosts separated by commas, such as `*.example.com`',
    meaning:
      'hosts from which documents may be fetched, and which registered APIs may have in your internal network',
  },
  HTTP_PROXY: {
    kind: 'text',
    form: 'the URL of a proxy',
    isSecret: true,
    meaning: 'the proxy for APIs without TLS. Registered APIs are always called directly',
  },
  HTTPS_PROXY: {
    kind: 'text',
    form: 'the URL of a proxy',
    isSecret: true,
    meaning: 'the proxy for APIs with TLS. Registered APIs are always called directly',
  },
  NO_PROXY: {
    kind: 'text',
    form: 'hosts separated by commas',
    meaning: 'hosts that are called directly; this machine always is',
  },
  UPSTREAM_HTTP2: {
    kind: 'choice',
    choices: ['on', 'off'],
    fallback: 'off',
    meaning: '`on` offers HTTP/2 to APIs with TLS',
  },
  APPLICATION_NAME: {
    kind: 'text',
    form: '1 to 256 printable characters',
    fallback: 'posts-app',
    meaning: 'sent as `x-application-name` with every call',
  },
  GATEWAY_API_NAME: {
    kind: 'text',
    form: '1 to 256 printable characters',
    fallback: 'posts-api',
    meaning: 'sent as `x-gateway-api-name` with every call',
  },
} as const satisfies Settings;

const MOST_MS = 600_000;

const RECEIVING = {
  REQUEST_BODY_KIB: number(1024, 1, 102_400, 'one request body; 413'),
  UPLOAD_MIB: number(1024, 1, 1_048_576, 'a stream, which is passed on as it arrives and never held; 413'),
  UPLOAD_RATE_KIB: number(
    16,
    1,
    1_048_576,
    'KiB of a stream that a client must send each second on average, after the first ten seconds; 408',
  ),
  BODIES_MIB: number(
    64,
    1,
    16_384,
    'the bodies of all requests that are held at once, a quarter of it for people who are not signed in; 503 with `Retry-After`',
  ),
  ANSWERS_MIB: {
    kind: 'number',
    least: 1,
    most: 65_536,
    default: "a quarter of the container's memory",
    meaning:
      'everything that has been received from APIs, or made of it, and not been sent yet. A request that finds no room waits; one that can never have room is a 413',
  },
  ANSWERS_WAIT_MS: number(
    5_000,
    0,
    MOST_MS,
    'how long it waits for room while none becomes free, and 12 times as long at most; then 503 with `Retry-After`',
  ),
  ANSWER_RATE_KIB: number(
    16,
    1,
    1_048_576,
    'KiB of an answer that a client must read each second on average, after the first ten seconds, or the connection is closed',
  ),
  ANSWER_TIMEOUT_MS: number(
    MOST_MS,
    1000,
    86_400_000,
    'how long a client may take to read an answer, or the connection is closed',
  ),
  MAX_CONNECTIONS: number(
    10_000,
    1,
    65_536,
    'client connections; further ones are closed at once. If `ulimit -n` allows fewer, a quarter of it, at least 64, is reserved for calls to APIs, the database and files',
  ),
  CONNECTION_REQUESTS: number(
    100_000,
    1,
    999_999_999,
    'requests on one connection, which is closed after the last of them',
  ),
  REQUESTS_AT_ONCE: number(
    8192,
    1,
    1_000_000,
    'requests in progress; further ones are refused before anything else happens: 503 with `Retry-After` and `Connection: close`. `/health` and `/metrics` are always answered',
  ),
  USER_REQUESTS_AT_ONCE: number(
    4096,
    1,
    1_000_000,
    "one user's requests in progress; 429 with `Retry-After`",
  ),
} as const satisfies Settings;

const CALLING = {
  UPSTREAM_TIMEOUT_MS: number(
    15_000,
    1,
    MOST_MS,
    'one call to the API, from the first byte sent to the last one received; 504',
  ),
  UPSTREAM_CONNECTIONS: number(
    64,
    1,
    4096,
    'connections to one API at once, of which one user has three quarters at most',
  ),
  UPSTREAM_STREAMS: {
    kind: 'number',
    least: 1,
    most: 4096,
    default: 'half of `UPSTREAM_CONNECTIONS`',
    meaning: 'how many of them uploads and downloads of streams may have; 503 with `Retry-After`',
  },
  USER_STREAMS_AT_ONCE: {
    kind: 'number',
    least: 1,
    most: 4096,
    default: 'a quarter of `UPSTREAM_STREAMS`',
    meaning: "how many of these may be one user's; 503 with `Retry-After`",
  },
  UPSTREAM_QUEUE: number(
    8192,
    0,
    1_000_000,
    'calls that wait for one of these; 503 with `Retry-After`. Users take turns, however many calls each of them has waiting, and one user has three quarters of the queue at most',
  ),
  UPSTREAM_QUEUE_MS: number(5_000, 1, MOST_MS, 'how long a call waits; 503 with `Retry-After`'),
  UPSTREAM_IDLE_MS: number(
    4_000,
    1,
    86_400_000,
    'how long an unused connection stays open, unless the API says less',
  ),
  UPSTREAM_CONNECTION_MS: number(
    300_000,
    1000,
    86_400_000,
    "after how long a connection is replaced by a new one, for which the API's host name is resolved again",
  ),
  UPSTREAM_SHARED_READS: {
    kind: 'choice',
    choices: ['on', 'off'],
    fallback: 'on',
    meaning:
      'requests that need the same GET, with the same headers and credentials, share the next one that starts: at most 20 ms later, and never one that started before they arrived. `off` gives each its own',
  },
  PUSH_DOWN: {
    kind: 'choice',
    choices: ['derived', 'declared'],
    fallback: 'derived',
    meaning:
      'which parameters of an API are used for conditions and orders: those that `x-odata` declares, and with `derived` also those that were seen to do what they are called',
  },
  UPSTREAM_BODY_MIB: number(64, 1, 1024, 'one answer of the API after decompression; 502'),
  ...byVariable(PAGE_LIMITS),
  MEMORY_MIB: number(64, 0, 16_384, 'memory for recognising data that has not changed; 0 for none'),
  KEPT_MIB: number(
    64,
    0,
    16_384,
    'memory for answers of operations with `x-odata.maxAge`; what was not used for longest goes first; 0 keeps none',
  ),
} as const satisfies Settings;

const LIFE = {
  EXAMINATION_MS: number(
    30_000,
    1_000,
    MOST_MS,
    'processor time that the examination of one document may take, in a thread of its own; a project with all its documents may take four times as much; 503',
  ),
  DATABASE_WAIT_MS: number(
    60_000,
    0,
    MOST_MS,
    'how long a start waits for the accounts database; then the process ends with 1',
  ),
  SHUTDOWN_LEAVE_MS: number(
    5_000,
    0,
    MOST_MS,
    'how long the port stays open after SIGTERM, while `/health/ready` says 503: longer than your load balancer needs to notice',
  ),
  SHUTDOWN_GRACE_MS: number(
    20_000,
    0,
    MOST_MS,
    'how long requests in progress may take after that; then slow readers are cut off',
  ),
} as const satisfies Settings;

/** The variables by topic, as in the documentation. */
export const SETTING_GROUPS = {
  basics: BASICS,
  accounts: ACCOUNTS,
  providers: PROVIDERS,
  network: NETWORK,
  faces: FACES,
  upstreams: UPSTREAMS,
  budget: byVariable(REQUEST_LIMITS.budget),
  texts: {
    ...byVariable(REQUEST_LIMITS.url),
    ...byVariable(REQUEST_LIMITS.batch),
    ...byVariable(REQUEST_LIMITS.graphql),
  },
  receiving: RECEIVING,
  calling: CALLING,
  life: LIFE,
} as const satisfies Readonly<Record<string, Settings>>;

/** All variables; the configuration can read no others. */
export const SETTINGS = {
  ...BASICS,
  ...ACCOUNTS,
  ...PROVIDERS,
  ...NETWORK,
  ...FACES,
  ...UPSTREAMS,
  ...SETTING_GROUPS.budget,
  ...SETTING_GROUPS.texts,
  ...RECEIVING,
  ...CALLING,
  ...LIFE,
} as const satisfies Settings;

export type SettingName = keyof typeof SETTINGS;

/** The variables of a kind; with a fallback, they are never missing. */
export type SettingOf<Kind> = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Kind ? Name : never;
}[SettingName];

function number<const Fallback extends number>(
  fallback: Fallback,
  least: number,
  most: number,
  meaning: string,
) {
  return { kind: 'number', fallback, least, most, meaning } as const;
}

type ByVariable<Limits extends Readonly<Record<string, RequestLimit>>> = {
  readonly [Name in Limits[keyof Limits]['variable']]: Setting & {
    readonly kind: 'number';
    readonly fallback: number;
  };
};

/** The variables of limits that other layers declare. */
function byVariable<Limits extends Readonly<Record<string, RequestLimit>>>(
  limits: Limits,
): ByVariable<Limits> {
  const entries = Object.values(limits).map(({ variable, fallback, least, most, meaning }) => [
    variable,
    { kind: 'number', fallback, least, most, meaning } as const,
  ]);
  return Object.fromEntries(entries) as ByVariable<Limits>;
}
