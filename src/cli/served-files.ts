import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { Environment } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { isObject } from '../core/json-object.ts';
import { decodeText, readBytes } from '../openapi/parse/file-text.ts';
import { parseText } from '../openapi/parse/parse-text.ts';
import { createAddressGuard, createHostList, hostOf } from '../registry/address/address-guard.ts';
import { fetchDocument } from '../registry/fetch-document.ts';
import { STATE_FOLDER } from '../registry/folder/api-folder.ts';
import { sourceNames } from './derive-model.ts';
import { fileEnvironment, stateEnvironment } from './project-environment.ts';
import { makeFolder, writeNew, writeWhole } from './written-files.ts';

/** The target of `duogate serve` without a project. */
interface ServedPlace {
  readonly place: string;
  /** The URL of the API; by default, the document's first server. */
  readonly upstream: string | undefined;
}

/** The settings for a target: those of its project, or of a new one for its documents. */
export async function placeEnvironment(
  { place, upstream }: ServedPlace,
  directory: string,
): Promise<Environment> {
  const path = resolve(directory, place);
  if (/^https?:\/\//i.test(place)) return serveFiles([await fetched(place, directory)], upstream, directory);
  if (!existsSync(path)) throw new GatewayError('NotFound', `There is no file or folder ${place}.`);
  if (!statSync(path).isDirectory()) {
    if (basename(path) === '.meshrc.yaml') return projectIn(resolve(path, '..'), upstream);
    return serveFiles([path], upstream, directory);
  }
  if (existsSync(join(path, '.meshrc.yaml'))) return projectIn(path, upstream);
  const files = documentsIn(path);
  if (files.length === 0) {
    throw new GatewayError('NotFound', `There is neither .meshrc.yaml nor an OpenAPI file in "${place}".`);
  }
  return serveFiles(files, upstream, directory);
}

function projectIn(directory: string, upstream: string | undefined): Environment {
  if (upstream !== undefined) {
    throw new GatewayError(
      'BadRequest',
      '--upstream needs a FILE or a URL: a project says where its APIs are.',
    );
  }
  return {
    DATABASE_URL: join(directory, 'data', 'duogate.sqlite'),
    ...fileEnvironment(directory),
    MESH_CONFIG: join(directory, '.meshrc.yaml'),
  };
}

/** The folder may also contain overlays and other files. */
function documentsIn(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => /^[^.][^.]*\.(?:ya?ml|json)$/i.test(name))
    .sort()
    .map((name) => join(directory, name))
    .filter((file) => isOpenApi(decodeText(readBytes(file, 'files'))));
}

/** Whether a text is, or is meant to be, an OpenAPI document; its mistakes are then reported. */
function isOpenApi(text: string): boolean {
  if (!/["']?\b(?:openapi|swagger)["']?\s*:/.test(text)) return false;
  try {
    const value = parseText(text);
    return isObject(value) && ('openapi' in value || 'swagger' in value);
  } catch {
    return /^\{?\s*["']?(?:openapi|swagger)["']?\s*:/m.test(text);
  }
}

/** Creates the project for documents, with a secret of its own, unless it exists. */
function serveFiles(files: readonly string[], upstream: string | undefined, directory: string): Environment {
  const folder = stateFolder(directory);
  writeNew(join(folder, 'secret'), randomBytes(32).toString('base64url'), 0o600);
  const names = sourceNames(files);
  const sources = files.map((file, index) => {
    const source = `./${relative(folder, file).replaceAll(sep, '/')}`;
    const endpoint = upstream === undefined ? {} : { endpoint: upstream };
    return `  - ${JSON.stringify({ name: names[index], handler: { openapi: { source, ...endpoint } } })}\n`;
  });
  writeWhole(join(folder, '.meshrc.yaml'), `# Made by duogate serve.\nsources:\n${sources.join('')}`);
  return stateEnvironment(folder);
}

/** The state folder, excluded from version control. */
function stateFolder(directory: string): string {
  const folder = join(directory, STATE_FOLDER);
  makeFolder(folder, 0o700);
  writeNew(join(folder, '.gitignore'), '*\n');
  return folder;
}

/** Fetches a document whose URL the user typed, which permits its host. */
export async function fetchTyped(url: string): Promise<string> {
  if (!URL.canParse(url)) throw new GatewayError('BadRequest', `"${url}" is not a URL.`);
  const hosts = createHostList([hostOf(url)]);
  return fetchDocument(url, { hosts, guard: createAddressGuard({ hosts }) }, new AbortController().signal);
}

async function fetched(url: string, directory: string): Promise<string> {
  const text = await fetchTyped(url);
  const name = basename(new URL(url).pathname).replace(/\.\w*$/, '') || 'openapi';
  const ending = text.trimStart().startsWith('{') ? 'json' : 'yaml';
  const folder = join(stateFolder(directory), 'fetched');
  makeFolder(folder);
  const file = join(folder, `${name.replace(/[^\w-]/g, '_')}.${ending}`);
  writeWhole(file, text);
  return file;
}
