import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { withinNetworks } from '../core/networks.ts';
import { type IssuerConfig, readIssuers } from './issuers.ts';
import { type Limits, readLimits } from './limits.ts';
import { type MailConfig, readMail } from './mail.ts';
import { SETTINGS, type Setting } from './settings.ts';
import { readUpstreamConnections, type UpstreamConnections } from './upstream-connections.ts';
import {
  numberOf,
  quote,
  readChoice,
  readHeaderValue,
  readHttpUrl,
  readList,
  readNumber,
  readText,
  type Variables,
} from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type LogLevel = (typeof SETTINGS.LOG_LEVEL.choices)[number];

type AuthConfig =
  | { readonly mode: 'off' }
  | {
      readonly mode: 'required';
      readonly secret: string;
      /** The users who may create an account for themselves. */
      readonly signUp: 'open' | 'invite' | 'approve' | 'off';
      readonly passwords: boolean;
    };

type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** The validated configuration with all defaults, read once at the start. */
export interface Config {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** An additional port for `/health`, served by its own thread; undefined for none. */
  readonly healthPort: number | undefined;
  /** The public URL without a trailing slash; undefined for the listening address. */
  readonly baseUrl: string | undefined;
  /** The upstream of the source named `Posts`; undefined for `servers[0]` of its OpenAPI document. */
  readonly upstreamUrl: string | undefined;
  readonly auth: AuthConfig;
  readonly database: DatabaseConfig;
  /** Days for which audit events are kept. */
  readonly auditDays: number;
  /** OpenID Connect issuers whose tokens are accepted and with which users sign in. */
  readonly issuers: readonly IssuerConfig[];
  /** Undefined if the gateway sends no mail. */
  readonly mail: MailConfig | undefined;
  /** The query parameter that may hold an API key. */
  readonly apiKeyParameter: string;
  /** Origins whose pages may use the services; `*` allows all. */
  readonly corsOrigins: readonly string[];
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The absolute path of the `.meshrc.yaml` to serve. */
  readonly meshConfig: string;
  readonly readOnly: boolean;
  /**
   * Hosts that OpenAPI documents may be fetched from; registered APIs may have these hosts even in private
   * networks.
   */
  readonly registryHosts: readonly string[];
  /**
   * Serve changes of edited files that take something from users at once, or only after confirmation.
   */
  readonly editedFiles: 'confirm' | 'serve';
  /** Values of `{env.X}` in the mesh configuration. */
  readonly meshEnvironment: Environment;
  readonly logLevel: LogLevel;
  readonly metricsReaders: MetricsReaders;
  /** Whether `$metadata` references the gateway's copies of the vocabularies or those of OASIS. */
  readonly vocabularies: 'served' | 'referenced';
  readonly graphqlDocuments: GraphQLDocuments;
  /** The meaning of the field `id` in GraphQL: the property of the API, or a global identifier. */
  readonly graphqlIds: 'upstream' | 'global';
  /** The JSON type of exact numbers in GraphQL. */
  readonly graphqlNumbers: 'mixed' | 'strings' | 'numbers';
  /** True if the GraphQL schema is a subgraph of Apollo Federation. */
  readonly federation: boolean;
  readonly upstreamConnections: UpstreamConnections;
  readonly limits: Limits;
}

/**
 * Reads the environment variables; empty ones count as missing.
 *
 * Throws one AggregateError whose message lists all mistakes; its `errors` have one each.
 */
export function readConfig(environment: Environment, workingDirectory: string = process.cwd()): Config {
  const mistakes: string[] = [];
  const config = readAll(
    { get: (name) => environment[name] || undefined, reject: (mistake) => mistakes.push(mistake) },
    environment,
    workingDirectory,
  );
  if (mistakes.length > 0) throw configError(mistakes);
  return config;
}

/** The URL of a server on this address, for clients on the same machine. */
export function localUrl(host: string, port: number): string {
  const anyAddress = host === '0.0.0.0' || host === '::';
  return `http://${anyAddress ? 'localhost' : isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function readAll(variables: Variables, environment: Environment, workingDirectory: string): Config {
  const host = readHost(variables);
  const port = readNumber(variables, 'PORT');
  const upstreamUrl = readHttpUrl(variables, 'UPSTREAM_URL');
  const baseUrl = readHttpUrl(variables, 'BASE_URL');
  const trustedProxies = readList(
    variables,
    'TRUSTED_PROXIES',
    'IP addresses or networks such as 10.0.0.0/8',
    isNetwork,
  );
  const issuers = readIssuers(variables, workingDirectory);
  const auth = readAuth(variables, host, issuers);
  return {
    host,
    port,
    healthPort: numberOf(variables, 'HEALTH_PORT'),
    baseUrl,
    upstreamUrl,
    auth,
    database: readDatabase(variables),
    auditDays: readNumber(variables, 'AUDIT_DAYS'),
    issuers,
    mail: readMail(variables, baseUrl),
    apiKeyParameter: readApiKeyParameter(variables),
    corsOrigins: readCorsOrigins(variables, auth.mode),
    trustedProxies,
    meshConfig: readMeshConfig(variables, workingDirectory),
    readOnly: readChoice(variables, 'READ_ONLY') === 'on',
    registryHosts: readRegistryHosts(variables),
    editedFiles: readChoice(variables, 'EDITED_FILES'),
    meshEnvironment: readMeshEnvironment(variables, environment, upstreamUrl),
    logLevel: readChoice(variables, 'LOG_LEVEL'),
    metricsReaders: readMetricsReaders(variables, { baseUrl, trustedProxies }),
    vocabularies: readChoice(variables, 'VOCABULARIES'),
    graphqlDocuments: readGraphQLDocuments(variables, workingDirectory),
    graphqlIds: readChoice(variables, 'GRAPHQL_IDS'),
    graphqlNumbers: readChoice(variables, 'GRAPHQL_NUMBERS'),
    federation: readChoice(variables, 'FEDERATION') === 'on',
    upstreamConnections: readUpstreamConnections(variables),
    limits: readLimits(variables),
  };
}

function configError(mistakes: readonly string[]): AggregateError {
  const list = mistakes.map((mistake) => `\n  - ${mistake}`).join('');
  return new AggregateError(
    mistakes.map((mistake) => new Error(mistake)),
    `The configuration cannot be used:${list}`,
  );
}

function readHost(variables: Variables): string {
  const text = readText(variables, 'HOST');
  if (isIP(text) === 0 && !/^(?=.{1,253}$)[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text)) {
    variables.reject(`HOST must be an IP address or a host name, but is ${quote(text)}`);
  }
  return text;
}

/** The loopback networks. */
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1'];

const isLoopbackAddress = withinNetworks(LOOPBACK_NETWORKS);

function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isLoopbackAddress(host);
}

function readAuth(variables: Variables, host: string, issuers: readonly IssuerConfig[]): AuthConfig {
  const mode = readChoice(variables, 'AUTH');
  if (mode === 'off') {
    if (!isLoopback(host)) {
      variables.reject(
        `AUTH=off needs a loopback address as HOST, such as 127.0.0.1, but HOST is ${quote(host)}`,
      );
    }
    return { mode };
  }
  const signUp = readChoice(variables, 'SIGN_UP');
  return { mode, secret: readAuthSecret(variables), signUp, passwords: readPasswords(variables, issuers) };
}

function readPasswords(variables: Variables, issuers: readonly IssuerConfig[]): boolean {
  const passwords = readChoice(variables, 'PASSWORD_SIGN_IN') === 'on';
  if (!passwords && issuers.every(({ client }) => client === undefined)) {
    variables.reject('PASSWORD_SIGN_IN=off needs a provider to sign in with, but OIDC_CLIENT_IDS is missing');
  }
  return passwords;
}

function readAuthSecret(variables: Variables): string {
  const secret = variables.get('AUTH_SECRET') ?? '';
  if (secret === '') variables.reject('AUTH_SECRET is missing: give at least 32 random characters');
  else if (secret.length < 32) variables.reject('AUTH_SECRET must have at least 32 characters');
  return secret;
}

function readDatabase(variables: Variables): DatabaseConfig {
  const text = readText(variables, 'DATABASE_URL');
  if (/^postgres(ql)?:\/\//i.test(text) && URL.canParse(text)) return { kind: 'postgres', url: text };
  // A single letter before the colon is a Windows drive, more letters are a URL scheme.
  if (/^(?!:memory:$)[a-z][a-z\d+.-]+:/i.test(text) || text.includes('\0')) {
    variables.reject('DATABASE_URL must be the path of a SQLite file or a postgres:// URL');
  }
  return { kind: 'sqlite', path: text };
}

function readMeshConfig(variables: Variables, workingDirectory: string): string {
  const path = resolve(workingDirectory, readText(variables, 'MESH_CONFIG'));
  if (isReadableFile(path)) return path;
  variables.reject(
    variables.get('MESH_CONFIG') === undefined
      ? `MESH_CONFIG is missing, and there is no .meshrc.yaml in ${quote(workingDirectory)}: go to a project's folder, or make one with duogate init`
      : `MESH_CONFIG must be a readable file, but is ${quote(path)}`,
  );
  return path;
}

function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Other programs use these proxy variables in lower case. */
const SECRETS = new Set(
  Object.entries<Setting>(SETTINGS).flatMap(([name, setting]) =>
    setting.kind === 'text' && setting.isSecret ? [name] : [],
  ),
);

/** The environment without its secrets, because values in the mesh configuration are sent to upstreams. */
function readMeshEnvironment(
  variables: Variables,
  environment: Environment,
  upstreamUrl: string | undefined,
): Environment {
  const open = Object.entries(environment).filter(([name]) => !SECRETS.has(name.toUpperCase()));
  return {
    ...Object.fromEntries(open),
    UPSTREAM_URL: upstreamUrl,
    APPLICATION_NAME: readHeaderValue(variables, 'APPLICATION_NAME'),
    GATEWAY_API_NAME: readHeaderValue(variables, 'GATEWAY_API_NAME'),
  };
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32));
}

/** The query parameter that may hold an API key. Names that begin with $ belong to OData. */
function readApiKeyParameter(variables: Variables): string {
  const text = readText(variables, 'API_KEY_PARAMETER');
  if (!/^[A-Za-z_][\w.-]{0,63}$/.test(text)) {
    variables.reject(
      `API_KEY_PARAMETER must be 1 to 64 letters, digits, _, . or -, beginning with a letter or _, but is ${quote(text)}`,
    );
  }
  return text;
}

/** Parses the allowed origins. `*` is rejected with AUTH=off: any page could use a local gateway. */
function readCorsOrigins(variables: Variables, auth: 'off' | 'required'): readonly string[] {
  const expected = 'origins such as https://ui.example.com, or *,';
  const origins = readList(variables, 'CORS_ORIGINS', expected, isOrigin);
  if (origins.includes('*') && origins.length > 1) {
    variables.reject('CORS_ORIGINS must be * alone or a list of origins');
  }
  if (origins.includes('*') && auth === 'off')
    variables.reject('CORS_ORIGINS=* is not possible with AUTH=off');
  return origins;
}

/**
 * Whether a text is an origin as browsers send it: in lower case, without a trailing slash or a default port.
 */
function isOrigin(text: string): boolean {
  return text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
}

const PATTERN = /^\*\.(?=.)/;

/**
 * Parses the hosts that documents may be fetched from and that registered APIs may have in private networks;
 * written as in URLs, without brackets. `*.example.com` allows all public hosts below it.
 */
function readRegistryHosts(variables: Variables): readonly string[] {
  const expected = 'host names, IP addresses or patterns such as *.example.com';
  return readList(variables, 'REGISTRY_HOSTS', expected, (text) => hostIn(text) !== undefined).map(
    (text) => hostIn(text) ?? text,
  );
}

function hostIn(text: string): string | undefined {
  const [pattern = ''] = PATTERN.exec(text) ?? [];
  const host = text.slice(pattern.length);
  if (!isIPv6(host) && !/^\[[\da-f:.]+\]$/i.test(host) && !/^[\w.-]+$/.test(host)) return undefined;
  const url = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`);
  return url === null ? undefined : pattern + url.hostname.replace(/^\[|\]$/g, '');
}

/** Addresses and networks from which the metrics may be read at each port; undefined if they are not served there. */
export interface MetricsReaders {
  readonly port: readonly string[] | undefined;
  readonly healthPort: readonly string[] | undefined;
}

/**
 * Addresses and networks that may read `/metrics`. A local proxy connects from a loopback address for any
 * client, so with signs of a proxy, loopback may read only on the port that proxies do not use.
 */
function readMetricsReaders(
  variables: Variables,
  { baseUrl, trustedProxies }: Pick<Config, 'baseUrl' | 'trustedProxies'>,
): MetricsReaders {
  const text = variables.get('METRICS');
  if (text === 'off') return { port: undefined, healthPort: undefined };
  if (text !== undefined) {
    const networks = 'off, or IP addresses or networks such as 10.0.0.0/8';
    const readers = readList(variables, 'METRICS', networks, isNetwork);
    return { port: readers, healthPort: readers };
  }
  const isBehindProxy =
    trustedProxies.length > 0 || (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname));
  return { port: isBehindProxy ? undefined : LOOPBACK_NETWORKS, healthPort: LOOPBACK_NETWORKS };
}

/** The GraphQL documents that the gateway executes. */
interface GraphQLDocuments {
  /** True if clients may send the hash of a known document instead of its text. */
  readonly automatic: boolean;
  /** The only allowed documents, by id; undefined if all are allowed. */
  readonly allowed: ReadonlyMap<string, string> | undefined;
}

function readGraphQLDocuments(variables: Variables, workingDirectory: string): GraphQLDocuments {
  return {
    automatic: readChoice(variables, 'GRAPHQL_PERSISTED_QUERIES') === 'on',
    allowed: readAllowed(variables, workingDirectory),
  };
}

/** Reads a file of graphql-codegen or Relay's compiler: an object from ids to documents. */
function readAllowed(
  variables: Variables,
  workingDirectory: string,
): ReadonlyMap<string, string> | undefined {
  const file = variables.get('GRAPHQL_DOCUMENTS');
  if (file === undefined) return undefined;
  const documents = textsIn(resolve(workingDirectory, file));
  if (documents === undefined) {
    const expected = 'a JSON file with an object of GraphQL documents by their ids';
    variables.reject(`GRAPHQL_DOCUMENTS must be ${expected}, but is ${quote(file)}`);
  }
  return documents;
}

function textsIn(path: string): ReadonlyMap<string, string> | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
    const entries = Object.entries(json).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return entries.length === Object.keys(json).length ? new Map(entries) : undefined;
  } catch {
    return undefined;
  }
}
