import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Examination } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { plainServiceUrl, validateServiceUrl } from '../core/service-url.ts';
import { assertWritable } from './apis/registry.ts';
import { type ChangeDependencies, storeChanges } from './apis/store-changes.ts';
import { assertDocument } from './assert-document.ts';
import { readApis, registrationFile, writeRegistration } from './folder/api-folder.ts';
import type { NewApi } from './request-fields.ts';

/** Stores an API in the registry's folder. */
export async function registerApi(dependencies: ChangeDependencies, api: NewApi): Promise<void> {
  assertWritable(dependencies);
  const { folder } = dependencies;
  if (readApis(folder).some(({ name }) => name.toLowerCase() === api.name.toLowerCase())) {
    const message = `An API named ${api.name} already exists.`;
    throw new GatewayError('Conflict', message, { target: 'name' });
  }
  const file = freeFile(folder.documents, api);
  const place = { name: api.name, file: join(folder.documents, file) };
  const { examination } = await dependencies.examinations.ofText(api.document, place.name, place.file);
  assertDocument(examination, api.url === undefined ? 'document' : 'url');
  const { name, description, url, withFiles } = api;
  const registration = {
    name,
    description,
    serviceUrl: api.serviceUrl ?? serverBeside(url, examination),
    file,
    fetchUrl: url,
    ...(withFiles && { withFiles }),
    isFromNetwork: true,
    source: undefined,
  };
  await storeChanges(dependencies, undefined, [
    [place.file, api.document],
    [registrationFile(folder, name), writeRegistration(registration)],
  ]);
}

/**
 * A server may be relative to the document's URL (OpenAPI 3.1, section 4.8.5); undefined for an absolute one.
 */
function serverBeside(url: string | undefined, { servers }: Examination): string | undefined {
  const [first = { url: '/' }] = servers;
  if (url === undefined || URL.canParse(first.url)) return undefined;
  const absolute = URL.parse(first.url, url)?.href;
  return absolute === undefined || validateServiceUrl(absolute) !== undefined
    ? undefined
    : plainServiceUrl(absolute);
}

function freeFile(directory: string, { name, fileName, document }: NewApi): string {
  const given = extname(fileName).toLowerCase();
  const isJson = given === '' ? /^\s*\{/.test(document) : given === '.json';
  const names = ['', '-2', '-3', '-4'].map(
    (end) => `${name.toLowerCase()}${end}.${isJson ? 'json' : 'yaml'}`,
  );
  const free = names.find((file) => !existsSync(join(directory, file)));
  if (free !== undefined) return free;
  throw new GatewayError('Conflict', `Files named ${names.join(', ')} already exist.`, {
    target: 'name',
  });
}
