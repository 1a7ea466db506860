import { GatewayError } from '../../contract/gateway-error.ts';
import type { AddressGuard } from '../address/address-guard.ts';
import { type ApiEntry, type ApiFolder, readApis, shownPath } from '../folder/api-folder.ts';
import { whyNotWritable } from '../folder/why-not-writable.ts';
import type { ApiDetail, ServedApi } from './api-wire.ts';
import { describeApi } from './describe-api.ts';
import type { Examinations, ExaminedText } from './examinations.ts';

/** What the registry stands on. */
export interface RegistryDependencies {
  readonly folder: ApiFolder;
  readonly examinations: Examinations;
  readonly guard: AddressGuard;
  /** Whether users may do no more than they are granted. */
  readonly needsGrants: boolean;
  /** What the gateway makes of an API at the moment; undefined where it does not serve it. */
  readonly served: (name: string) => ServedApi | undefined;
}

/** An API, and what is known of its document. */
export interface FoundApi extends ExaminedText {
  readonly entry: ApiEntry;
}

/** Throws NotFound where there is no API of that name. */
export function findEntry({ folder }: Pick<RegistryDependencies, 'folder'>, name: string): ApiEntry {
  const found = readApis(folder).find((entry) => entry.name === name);
  if (found === undefined)
    throw new GatewayError('NotFound', `There is no API named ${JSON.stringify(name)}.`);
  return found;
}

export async function findApi(ground: RegistryDependencies, name: string): Promise<FoundApi> {
  const entry = findEntry(ground, name);
  return { entry, ...(await ground.examinations.ofFile(entry.file, entry.name)) };
}

export function detailOf(
  { folder, guard, needsGrants, served }: RegistryDependencies,
  { entry, examination }: FoundApi,
) {
  const path = shownPath(folder, entry.file);
  const known = entry.source && served(entry.name);
  // Where the project is on the disk is nobody's business.
  const shown = known && { ...known, refusal: known.refusal?.replaceAll(`${folder.root}/`, '') };
  return describeApi(entry, path, examination, shown, { guard, needsGrants });
}

export async function listApis(ground: RegistryDependencies): Promise<readonly ApiDetail[]> {
  return Promise.all(
    readApis(ground.folder).map(async (entry) =>
      detailOf(ground, { entry, ...(await ground.examinations.ofFile(entry.file, entry.name)) }),
    ),
  );
}

/** Throws Forbidden where the files of the project cannot be changed. */
export function demandWritable({ folder }: RegistryDependencies): void {
  const reason = whyNotWritable(folder.projectFile, folder.documents);
  if (reason !== undefined) throw new GatewayError('Forbidden', reason);
}
