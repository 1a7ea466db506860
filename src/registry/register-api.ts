import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { GatewayError } from '../contract/gateway-error.ts';
import { demandDocument } from './demand-document.ts';
import { readApis, registrationFile } from './folder/api-folder.ts';
import { writeRegistration } from './folder/registration.ts';
import { demandWritable } from './registry.ts';
import type { NewApi } from './request-fields.ts';
import { type ChangeGround, storeChanges } from './store-changes.ts';

/** Stores an API beside the project. */
export async function registerApi(ground: ChangeGround, api: NewApi): Promise<void> {
  demandWritable(ground);
  const { folder } = ground;
  if (readApis(folder).some(({ name }) => name.toLowerCase() === api.name.toLowerCase())) {
    const message = `There is an API named ${api.name} already.`;
    throw new GatewayError('Conflict', message, { target: 'name' });
  }
  const file = freeFile(folder.documents, api);
  const place = { name: api.name, file: join(folder.documents, file) };
  demandDocument((await ground.examinations.ofText(api.document, place.name, place.file)).examination);
  const { name, description, serviceUrl } = api;
  const registration = {
    name,
    description,
    serviceUrl,
    file,
    fetchUrl: undefined,
    isFromNetwork: true,
    source: undefined,
  };
  await storeChanges(ground, undefined, [
    [place.file, api.document],
    [registrationFile(folder, name), writeRegistration(registration)],
  ]);
}

function freeFile(directory: string, { name, fileName, document }: NewApi): string {
  const given = extname(fileName).toLowerCase();
  const isJson = given === '' ? /^\s*\{/.test(document) : given === '.json';
  const names = ['', '-2', '-3', '-4'].map(
    (end) => `${name.toLowerCase()}${end}.${isJson ? 'json' : 'yaml'}`,
  );
  const free = names.find((file) => !existsSync(join(directory, file)));
  if (free !== undefined) return free;
  throw new GatewayError('Conflict', `There are files named ${names.join(', ')} already.`, {
    target: 'name',
  });
}
