import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { stringify } from 'yaml';
import { GatewayError } from '../../contract/gateway-error.ts';
import { isObject } from '../../core/json-object.ts';
import { readText } from '../../openapi/parse/file-text.ts';
import { parseText } from '../../openapi/parse/parse-text.ts';
import { listSources, newSource, type WrittenSource } from './project-sources.ts';

/** A served or registered API of the project. */
export interface ApiEntry {
  readonly name: string;
  /** The absolute path of its OpenAPI document. */
  readonly file: string;
  readonly registration: Registration | undefined;
  /** Undefined if it is not in the project. */
  readonly source: WrittenSource | undefined;
}

/** The files of a project's APIs. */
export interface ApiFolder {
  readonly projectFile: string;
  /** The folder of the project file. */
  readonly root: string;
  /** The folder of the registry's documents. */
  readonly documents: string;
}

export function apiFolder(projectFile: string): ApiFolder {
  const root = dirname(resolve(projectFile));
  return { projectFile, root, documents: join(root, 'openapi') };
}

const REGISTRATION = '.registration.yaml';

export function registrationFile({ documents }: ApiFolder, name: string): string {
  return join(documents, `${name.toLowerCase()}${REGISTRATION}`);
}

/** The path of a file relative to the project. */
export function shownPath({ root }: ApiFolder, file: string): string {
  const path = relative(root, file).replaceAll(sep, '/');
  return path.startsWith('..') ? file : path;
}

/** Whether the registry may change the file. */
export function isOwnFile({ documents }: ApiFolder, file: string): boolean {
  return dirname(file) === documents;
}

/** The folder in the working directory with the state of `duogate serve`. */
export const STATE_FOLDER = '.duogate';

/**
 * Whether an overlay may be written beside the document: in the registry's folder, or with `duogate serve`,
 * whose project is private.
 */
export function isGrantable(folder: ApiFolder, { file, source }: ApiEntry): boolean {
  if (isOwnFile(folder, file)) return true;
  return source !== undefined && basename(folder.root) === STATE_FOLDER;
}

/** The APIs of the project file in order, followed by registered ones. */
export function readApis(folder: ApiFolder): readonly ApiEntry[] {
  const names = filesIn(folder.documents);
  const registrations = names
    .filter((name) => name.endsWith(REGISTRATION))
    .flatMap((name) => registrationIn(join(folder.documents, name)) ?? []);
  const sources = sourcesIn(folder);
  const live = sources.map((source) => ({
    name: source.name,
    file: resolve(folder.root, source.document),
    registration: registrations.find(({ name }) => name === source.name),
    source,
  }));
  const waiting = registrations
    .filter(({ name }) => !live.some((entry) => entry.name === name))
    .map((registration) => ({
      name: registration.name,
      file: join(folder.documents, registration.file),
      registration,
      source: undefined,
    }));
  const known = [...live, ...waiting];
  return [...known, ...foundFiles(folder, names, known)];
}

/** The registration in a file; undefined if it cannot be read, so that an API of the project remains. */
function registrationIn(file: string): Registration | undefined {
  const text = readText(file, 'files');
  return typeof text === 'string' ? readRegistration(text) : undefined;
}

/** Throws Conflict while the project file cannot be read, because it may be being edited. */
function sourcesIn({ projectFile }: ApiFolder): readonly WrittenSource[] {
  try {
    return listSources(readFileSync(projectFile, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('Conflict', `The project file cannot be read. ${reason}`, { cause });
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** Documents that were copied into the folder and only need to be added to the project. */
function foundFiles(
  { documents }: ApiFolder,
  names: readonly string[],
  known: readonly ApiEntry[],
): readonly ApiEntry[] {
  const files = new Set(known.map(({ file }) => file));
  const taken = new Set(known.map(({ name }) => name.toLowerCase()));
  return names
    .filter((name) => /^[^.][^.]*\.(?:ya?ml|json)$/i.test(name) && !files.has(join(documents, name)))
    .flatMap((file) => {
      const name = sourceName(file);
      if (taken.has(name.toLowerCase())) return [];
      taken.add(name.toLowerCase());
      return [{ name, file: join(documents, file), registration: undefined, source: undefined }];
    });
}

/** The source name derived from a document's file. */
export function sourceName(file: string): string {
  return basename(file, extname(file))
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_');
}

/** The registration of an API, or an equivalent one for an API of the operator. */
export function registrationOf({ name, file, registration }: ApiEntry): Registration {
  if (registration !== undefined) return registration;
  return {
    name,
    description: '',
    serviceUrl: undefined,
    file: basename(file),
    fetchUrl: undefined,
    isFromNetwork: false,
    source: undefined,
  };
}

/** Whether the operator determined the API's address in the project file. */
export function isOperators({ registration, source }: ApiEntry): boolean {
  return source !== undefined && registration?.isFromNetwork !== true;
}

/** Whether the API in the project file is unchanged since the registry wrote it. */
export function isRegisteredAsIs({ name, registration, source }: ApiEntry): boolean {
  if (registration?.serviceUrl === undefined || source === undefined) return false;
  const made = newSource(name, source.document, registration.serviceUrl);
  return JSON.stringify(made) === JSON.stringify(source.written);
}

/**
 * Data of an API that its document does not contain, stored in a file beside it.
 *
 * Not in the project file, because Mesh rejects unknown keys, and because a registered API may not be in the
 * project yet.
 */
export interface Registration {
  readonly name: string;
  readonly description: string;
  /** Undefined for the document's `servers[0]`. */
  readonly serviceUrl: string | undefined;
  /** The name of the document's file in the same folder. */
  readonly file: string;
  /** The URL that the document is fetched from. */
  readonly fetchUrl: string | undefined;
  /** Set if the files that the document at that URL refers to are fetched, too. */
  readonly withFiles?: true | undefined;
  /** True if the target of calls may have come over the network, as the service URL or in the document. */
  readonly isFromNetwork: boolean;
  /** The API's entry in the project file before it was removed from the project. */
  readonly source: Readonly<Record<string, unknown>> | undefined;
}

/** Parses a registration; undefined if it is invalid, because it may have been edited. */
function readRegistration(text: string): Registration | undefined {
  const members = readMembers(text);
  const { name, file } = members;
  if (typeof name !== 'string' || typeof file !== 'string' || /[/\\]/.test(file)) return undefined;
  return {
    name,
    file,
    description: textIn(members, 'description') ?? '',
    serviceUrl: textIn(members, 'serviceUrl'),
    fetchUrl: textIn(members, 'fetchUrl'),
    ...(members['withFiles'] === true && { withFiles: true as const }),
    isFromNetwork: members['isFromNetwork'] !== false,
    source: isObject(members['source']) ? members['source'] : undefined,
  };
}

function readMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseText(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function textIn(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const HEAD = '# Written by the API registry, beside the OpenAPI document of the API.';
const FROM_NETWORK = `Its service URL was given over the
# network: it is called only where it leads into the Internet, or to a host of REGISTRY_HOSTS.`;

export function writeRegistration(registration: Registration): string {
  const { isFromNetwork, source, ...said } = registration;
  const head = isFromNetwork ? `${HEAD} ${FROM_NETWORK}` : HEAD;
  const members = { ...said, ...(isFromNetwork ? {} : { isFromNetwork }), source };
  return `${head}\n${stringify(members, { lineWidth: 0 })}`;
}

/** The reason why the project's files are read-only, as a sentence. */
export function validateWritable(projectFile: string, apiFolder: string): string | undefined {
  const folder = statSync(apiFolder, { throwIfNoEntry: false });
  if (folder !== undefined && !folder.isDirectory())
    return 'There is a file in the place of the folder openapi/.';
  // Files are replaced as a whole, so the permissions of their folder count.
  const places = [dirname(projectFile), ...(folder === undefined ? [] : [apiFolder])];
  if (places.every(isWritable)) return undefined;
  return 'The folder of the project is read-only: change the files where they come from.';
}

/** A folder without any write permission is meant to be read-only, even for the superuser. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return (statSync(folder).mode & 0o222) !== 0;
  } catch {
    return false;
  }
}
