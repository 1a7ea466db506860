import { dirname, resolve } from 'node:path';
import { plainServiceUrl, whyNotServiceUrl } from '../contract/service-url.ts';
import { createFileReader, type FileReader } from '../document/file-reader.ts';
import { serverUrl } from '../document/server-url.ts';
import type { SuppliedParameters } from '../model/from-openapi/document/document-source.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a `.meshrc.yaml` says, with the environment filled in. */
export interface Project {
  /** Paths in the file are relative to it. */
  readonly directory: string;
  readonly sources: readonly ProjectSource[];
}

/** One API behind the gateway. */
export interface ProjectSource {
  readonly name: string;
  /** Absolute path of the OpenAPI document. */
  readonly document: string;
  /** Absolute URL, without a slash at its end; empty where it was to come from a document that cannot be read. */
  readonly endpoint: string;
  /** Sent with each call; names in lower case. */
  readonly operationHeaders: Readonly<Record<string, string>>;
  /** Added to the query of each call. */
  readonly queryParams?: Readonly<Record<string, string>>;
}

/** What a source gives with each call, so that its callers need not. */
export function suppliedBy({ operationHeaders, queryParams = {} }: ProjectSource): SuppliedParameters {
  return { headers: new Set(Object.keys(operationHeaders)), query: new Set(Object.keys(queryParams)) };
}

/** Mistakes are collected, so that they can all be reported together with those of other settings. */
export type ProjectReading =
  | { readonly kind: 'project'; readonly project: Project }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] };

type Mistakes = string[];
type Section = Readonly<Record<string, unknown>>;

/** Reads the project file of GraphQL Mesh, as far as the gateway serves what it says. */
export function readProject(
  file: string,
  environment: Environment,
  files: ProjectFiles = createFileReader(),
): ProjectReading {
  const mistakes: Mistakes = [];
  const directory = dirname(resolve(file));
  const reader: Reader = { directory, environment, mistakes, files };
  const root = readMapping(file, reader);
  const sources = root === undefined ? [] : readSources(root, reader);
  if (mistakes.length > 0) return { kind: 'mistakes', mistakes: mistakes.map((text) => `${file}: ${text}`) };
  return { kind: 'project', project: { directory, sources } };
}

type ProjectFiles = Pick<FileReader, 'read' | 'readOpenApi'>;

interface Reader {
  readonly directory: string;
  readonly environment: Environment;
  readonly mistakes: Mistakes;
  readonly files: ProjectFiles;
}

/** The others speak to other commands of Mesh. */
const ROOT_KEYS: ReadonlySet<string> = new Set(['sources', 'serve', 'codegen', 'sdk', 'documents']);
const SOURCE_KEYS: ReadonlySet<string> = new Set(['name', 'handler']);
const HANDLER_KEYS: ReadonlySet<string> = new Set(['openapi']);
const OPENAPI_KEYS: ReadonlySet<string> = new Set([
  'source',
  'endpoint',
  'operationHeaders',
  'queryParams',
  'ignoreErrorResponses',
]);

function readSources(root: Section, reader: Reader): ProjectSource[] {
  refuseOtherKeys(root, ROOT_KEYS, '', reader.mistakes);
  const list = root['sources'];
  if (!Array.isArray(list) || list.length === 0) {
    reader.mistakes.push('"sources" must be a list of at least one API');
    return [];
  }
  const sources = list.map((source, index) => readSource(source, `sources[${index}]`, reader));
  const found = sources.filter((source) => source !== undefined);
  refuseSameNames(found, reader.mistakes);
  return found;
}

function readSource(value: unknown, place: string, reader: Reader): ProjectSource | undefined {
  const { mistakes } = reader;
  const source = section(value, place, mistakes);
  const handler = section(source?.['handler'], `${place}.handler`, mistakes);
  if (source === undefined || handler === undefined) return undefined;
  refuseOtherKeys(source, SOURCE_KEYS, place, mistakes);
  refuseOtherKeys(handler, HANDLER_KEYS, `${place}.handler`, mistakes);
  const at = `${place}.handler.openapi`;
  const openapi = section(handler['openapi'], at, mistakes);
  if (openapi === undefined) return undefined;
  refuseOtherKeys(openapi, OPENAPI_KEYS, at, mistakes);
  if (openapi['ignoreErrorResponses'] === false) {
    mistakes.push(`"${at}.ignoreErrorResponses" must be true: an upstream's error is never a result`);
  }
  const document = resolve(reader.directory, readText(openapi['source'], `${at}.source`, reader));
  return {
    name: readName(source['name'], `${place}.name`, mistakes),
    document,
    endpoint: readEndpoint(openapi['endpoint'], document, `${at}.endpoint`, reader),
    operationHeaders: readHeaders(openapi['operationHeaders'], `${at}.operationHeaders`, reader),
    queryParams: readQuery(openapi['queryParams'], `${at}.queryParams`, reader),
  };
}

function readName(value: unknown, place: string, mistakes: Mistakes): string {
  if (typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value)) return value;
  mistakes.push(`"${place}" must be a name of letters, digits and underscores`);
  return '';
}

function refuseSameNames(sources: readonly ProjectSource[], mistakes: Mistakes): void {
  const names = new Set<string>();
  for (const { name } of sources) {
    if (names.has(name)) mistakes.push(`two sources are named "${name}"`);
    names.add(name);
  }
}

function readEndpoint(value: unknown, document: string, place: string, reader: Reader): string {
  const text = value === undefined || value === null ? '' : readText(value, place, reader);
  const endpoint = text === '' ? firstServer(document, reader) : text;
  if (endpoint === undefined) return '';
  const reason = whyNotServiceUrl(endpoint);
  if (reason === undefined) return plainServiceUrl(endpoint);
  if (text !== '') refuseUnsetVariables(value, place, reader);
  reader.mistakes.push(`"${place}" ${text === '' ? "(from the document's servers[0]) " : ''}${reason}`);
  return '';
}

function firstServer(document: string, reader: Reader): string | undefined {
  const root = readDocument(document, reader);
  if (root === undefined) return undefined;
  const servers = root['servers'];
  const url = serverUrl(Array.isArray(servers) ? servers[0] : undefined);
  if (url === undefined) reader.mistakes.push(`there is neither an endpoint nor a server in ${document}`);
  return url;
}

function readHeaders(value: unknown, place: string, reader: Reader): Record<string, string> {
  const headers: Record<string, string> = {};
  if (value === undefined || value === null) return headers;
  for (const [name, raw] of Object.entries(section(value, place, reader.mistakes) ?? {})) {
    refuseUnsetVariables(raw, `${place}.${name}`, reader);
    const text = readText(raw, `${place}.${name}`, reader);
    const reason = whyNotHeader(name, text);
    if (reason !== undefined) reader.mistakes.push(`"${place}.${name}" ${reason}`);
    else if (text !== '') headers[name.toLowerCase()] = text;
  }
  return headers;
}

/** Mesh also takes numbers and truth values. */
function readQuery(value: unknown, place: string, reader: Reader): Record<string, string> {
  const parameters: Record<string, string> = {};
  if (value === undefined || value === null) return parameters;
  for (const [name, raw] of Object.entries(section(value, place, reader.mistakes) ?? {})) {
    const isPlain = typeof raw === 'number' || typeof raw === 'boolean';
    refuseUnsetVariables(raw, `${place}.${name}`, reader);
    const text = readText(isPlain ? String(raw) : raw, `${place}.${name}`, reader);
    if (text !== '') parameters[name] = text;
  }
  return parameters;
}

/** RFC 9110, section 5.1 and 5.5. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** These are the connection's, and an upstream's idea of a message must not depend on a setting. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function whyNotHeader(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not the name of a header';
  if (CONNECTION_HEADERS.has(name.toLowerCase())) return 'is set by the connection and cannot be configured';
  if (!HEADER_VALUE.test(value)) return 'has a value with line breaks or with characters beyond Latin-1';
  return undefined;
}

/** `{env.NAME}` and `{env.NAME:default}`, as Mesh knows them. */
const PLACEHOLDER = /\{([^}]*)\}/g;
const ENVIRONMENT_NAME = /^env\.(\w+)(?::(.*))?$/s;

function readText(value: unknown, place: string, { environment, mistakes }: Reader): string {
  if (typeof value !== 'string') {
    mistakes.push(`"${place}" must be a text`);
    return '';
  }
  return value.replace(PLACEHOLDER, (whole, inner: string) => {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    if (name !== undefined) return environment[name] ?? fallback ?? '';
    mistakes.push(`"${place}" has ${whole}; only {env.NAME} is filled in: nothing of a client is passed on`);
    return '';
  });
}

/** What goes to an upstream is not sent without its credential; an empty variable counts as unset. */
function refuseUnsetVariables(value: unknown, place: string, { environment, mistakes }: Reader): void {
  for (const [, inner = ''] of String(value).matchAll(PLACEHOLDER)) {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    if (name === undefined || fallback !== undefined || environment[name]) continue;
    mistakes.push(`"${place}" needs the variable ${name}, or {env.${name}:} where it may be missing`);
  }
}

function readMapping(file: string, { mistakes, files }: Reader): Section | undefined {
  try {
    const value = files.read(file);
    if (isSection(value)) return value;
    mistakes.push(`${file} must hold a mapping`);
  } catch (error) {
    mistakes.push(`${file} cannot be read: ${(error as Error).message}`);
  }
  return undefined;
}

/** A document that is none is told by whoever makes a model of it, and its source is not served. */
function readDocument(file: string, { files }: Reader): Section | undefined {
  try {
    return files.readOpenApi(file);
  } catch {
    return undefined;
  }
}

function section(value: unknown, place: string, mistakes: Mistakes): Section | undefined {
  if (isSection(value)) return value;
  mistakes.push(`"${place}" must be a mapping`);
  return undefined;
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseOtherKeys(
  value: Section,
  known: ReadonlySet<string>,
  place: string,
  mistakes: Mistakes,
): void {
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    mistakes.push(
      `"${place === '' ? key : `${place}.${key}`}" is not served; known are ${[...known].join(', ')}`,
    );
  }
}
