import { dirname, resolve } from 'node:path';
import { credentialPlaces } from '../contract/source-credential.ts';
import { isObject } from '../core/json-object.ts';
import { plainServiceUrl, validateServiceUrl } from '../core/service-url.ts';
import { serverUrl } from '../openapi/document/document-source.ts';
import { createFileReader } from '../openapi/file-reader.ts';
import {
  checkKeys,
  checkVariablesSet,
  type Environment,
  type Mistakes,
  type ProjectFiles,
  type Reader,
  readHeaders,
  readQuery,
  readText,
  type Section,
  section,
} from './project-reader.ts';
import type { Project, ProjectSource } from './project-source.ts';
import { type ReadAccess, sourceAccessReader } from './source-access-reader.ts';

/** Mistakes are collected, so that they can all be reported together with those of other settings. */
export type ProjectReading =
  | { readonly kind: 'project'; readonly project: Project }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] };

/**
 * Reads the project file of GraphQL Mesh, as far as the gateway serves what it says, and what the file beside it
 * says of credentials.
 */
export function readProject(
  file: string,
  environment: Environment,
  files: ProjectFiles = createFileReader(dirname(file)),
): ProjectReading {
  const mistakes: Mistakes = [];
  const directory = dirname(resolve(file));
  const reader: Reader = { directory, environment, mistakes, files };
  const root = readMapping(file, reader);
  const sources = root === undefined ? [] : readSources(root, reader, sourceAccessReader(file, reader));
  if (mistakes.length > 0) return { kind: 'mistakes', mistakes: mistakes.map((text) => `${file}: ${text}`) };
  return { kind: 'project', project: { directory, sources } };
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

type AccessOf = (source: string) => ReadAccess;

function readSources(root: Section, reader: Reader, accessOf: AccessOf): ProjectSource[] {
  checkKeys(root, ROOT_KEYS, '', reader.mistakes);
  const list = root['sources'];
  if (!Array.isArray(list) || list.length === 0) {
    reader.mistakes.push('"sources" must be a list of at least one API');
    return [];
  }
  const sources = list.map((source, index) => readSource(source, `sources[${index}]`, reader, accessOf));
  const found = sources.filter((source) => source !== undefined);
  const names = new Set<string>();
  for (const { name } of found) {
    if (names.has(name)) reader.mistakes.push(`two sources are named "${name}"`);
    names.add(name);
  }
  return found;
}

function readSource(
  value: unknown,
  place: string,
  reader: Reader,
  accessOf: AccessOf,
): ProjectSource | undefined {
  const { mistakes } = reader;
  const source = section(value, place, mistakes);
  const handler = section(source?.['handler'], `${place}.handler`, mistakes);
  if (source === undefined || handler === undefined) return undefined;
  checkKeys(source, SOURCE_KEYS, place, mistakes);
  checkKeys(handler, HANDLER_KEYS, `${place}.handler`, mistakes);
  const at = `${place}.handler.openapi`;
  const openapi = section(handler['openapi'], at, mistakes);
  if (openapi === undefined) return undefined;
  checkKeys(openapi, OPENAPI_KEYS, at, mistakes);
  if (openapi['ignoreErrorResponses'] === false) {
    mistakes.push(`"${at}.ignoreErrorResponses" must be true: an upstream's error is never a result`);
  }
  checkVariablesSet(openapi['source'], `${at}.source`, reader);
  const document = resolve(reader.directory, readText(openapi['source'], `${at}.source`, reader));
  const name = readName(source['name'], `${place}.name`, mistakes);
  const { headers, access } = accessOf(name);
  const read = {
    name,
    document,
    endpoint: readEndpoint(openapi['endpoint'], document, `${at}.endpoint`, reader),
    operationHeaders: readHeaders(openapi['operationHeaders'], `${at}.operationHeaders`, reader),
    queryParams: readQuery(openapi['queryParams'], `${at}.queryParams`, reader),
    access,
  };
  checkConflicts(read, headers, at, mistakes);
  return { ...read, operationHeaders: { ...read.operationHeaders, ...headers } };
}

function readName(value: unknown, place: string, mistakes: Mistakes): string {
  if (typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value)) return value;
  mistakes.push(`"${place}" must be a name of letters, digits and underscores`);
  return '';
}

function readEndpoint(value: unknown, document: string, place: string, reader: Reader): string {
  const isGiven = value !== undefined && value !== null;
  const before = reader.mistakes.length;
  // Without this, a missing variable would have the document's own server called, with the credentials of another one.
  if (isGiven) checkVariablesSet(value, place, reader);
  const text = isGiven ? readText(value, place, reader) : '';
  if (reader.mistakes.length > before) return '';
  const endpoint = text === '' ? firstServer(document, reader) : text;
  if (endpoint === undefined) return '';
  const reason = validateServiceUrl(endpoint);
  if (reason === undefined) return plainServiceUrl(endpoint);
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

function readMapping(file: string, { mistakes, files }: Reader): Section | undefined {
  try {
    const value = files.read(file);
    if (isObject(value)) return value;
    mistakes.push(`${file} must hold a mapping`);
  } catch (error) {
    mistakes.push(`${file} cannot be read: ${(error as Error).message}`);
  }
  return undefined;
}

/** An invalid document is reported when the model is derived; its source is not served. */
function readDocument(file: string, { files }: Reader): Section | undefined {
  try {
    return files.readOpenApi(file).document;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a credential that does not go with the rest of its source: what would be sent twice, what is meant for
 * another endpoint, and a certificate where there is no TLS to show it by. `headers` are the credential's own.
 */
function checkConflicts(
  source: ProjectSource,
  headers: Readonly<Record<string, string>>,
  at: string,
  mistakes: Mistakes,
): void {
  const { name, endpoint, operationHeaders, queryParams = {}, access } = source;
  const places = credentialPlaces(access?.credential);
  const refuse = (key: string, reason: string): void => void mistakes.push(`"${at}.${key}" ${reason}`);
  for (const header of Object.keys({ ...headers, ...places.operationHeaders })) {
    if (Object.hasOwn(operationHeaders, header)) refuse(`operationHeaders.${header}`, twice(name));
  }
  for (const parameter of Object.keys(places.queryParams)) {
    if (Object.hasOwn(queryParams, parameter)) refuse(`queryParams.${parameter}`, twice(name));
  }
  if (access?.endpoint !== undefined && access.endpoint !== endpoint) {
    refuse('endpoint', `is not ${access.endpoint}, for which the credentials of ${name} are meant`);
  }
  if (access?.certificate !== undefined && endpoint.startsWith('http:')) {
    refuse('endpoint', `must be an https URL: ${name} is called with a client certificate`);
  }
}

function twice(name: string): string {
  return `is sent for the credentials of ${name}, too: one of them is enough`;
}
