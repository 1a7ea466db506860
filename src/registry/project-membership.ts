import { existsSync } from 'node:fs';
import { GatewayError } from '../contract/gateway-error.ts';
import { grantsBrought } from '../contract/service-changes.ts';
import { overlayFiles } from '../openapi/overlay/overlay-document.ts';
import { assertConfirmed } from './apis/assert-confirmed.ts';
import { assertWritable, findApi, findEntry, noServiceUrl, serviceUrlOf } from './apis/registry.ts';
import { assertOwnFile, type ChangeDependencies, projectText, storeChanges } from './apis/store-changes.ts';
import { assertDocument } from './assert-document.ts';
import {
  type ApiEntry,
  type ApiFolder,
  isOwnFile,
  isRegisteredAsIs,
  readApis,
  registrationFile,
  registrationOf,
  shownPath,
  writeRegistration,
} from './folder/api-folder.ts';
import { disabledFile, readDisabled, writeDisabled } from './folder/disabled-apis.ts';
import { newSource, withoutSource, withSource } from './folder/project-sources.ts';
import { forgetHistory } from './history/api-history.ts';

interface AdditionOrder {
  /** The confirmed messages about permissions in the document. */
  readonly confirmed: readonly string[];
  /** True for a command of the operator, whose files are trusted unless they were fetched. */
  readonly isOperator: boolean;
}

/** Adds an API to the project; it is served when the promise resolves. */
export async function addApi(
  dependencies: ChangeDependencies,
  name: string,
  { confirmed, isOperator }: AdditionOrder,
): Promise<void> {
  assertWritable(dependencies);
  const { entry, examination } = await findApi(dependencies, name);
  const { folder, guard } = dependencies;
  if (entry.source !== undefined) {
    throw new GatewayError('Conflict', `${name} is already in the project.`);
  }
  assertDocument(examination);
  const url = serviceUrlOf(entry, examination);
  if (url === undefined) throw noServiceUrl('BadRequest');
  const registration = registrationOf(entry);
  const { source } = registration;
  const refusal = source === undefined ? await guard.refusalOf(url) : undefined;
  if (refusal !== undefined) throw new GatewayError('BadRequest', `${refusal}.`, { target: 'serviceUrl' });
  // The author of a document must not decide about permissions here.
  if (registration.isFromNetwork && (!isOperator || registration.fetchUrl !== undefined))
    assertConfirmed(examination.shape.resources.flatMap(grantsBrought), confirmed, dependencies.needsGrants);
  const added = source ?? newSource(name, `./${shownPath(folder, entry.file)}`, url);
  const kept =
    source === undefined
      ? { ...registration, serviceUrl: url, isFromNetwork: true }
      : { ...registration, source: undefined };
  await storeChanges(dependencies, entry, [
    [registrationFile(folder, name), writeRegistration(kept)],
    [folder.projectFile, withSource(projectText(dependencies), added)],
  ]);
}

/** Removes an API from the project; it stays registered, with its settings in the project file. */
export async function withdrawApi(dependencies: ChangeDependencies, name: string): Promise<void> {
  assertWritable(dependencies);
  const entry = findEntry(dependencies, name);
  if (entry.source === undefined) throw new GatewayError('Conflict', `${name} is not in the project.`);
  assertOwnFile(dependencies, entry);
  const registration = registrationOf(entry);
  const kept = { ...registration, source: isRegisteredAsIs(entry) ? undefined : entry.source.written };
  await storeChanges(dependencies, entry, [
    [registrationFile(dependencies.folder, name), writeRegistration(kept)],
    [dependencies.folder.projectFile, textWithout(dependencies, entry)],
  ]);
}

/** Removes an API from the project and deletes its files. */
export async function deleteApi(dependencies: ChangeDependencies, name: string): Promise<void> {
  assertWritable(dependencies);
  const entry = findEntry(dependencies, name);
  const { folder } = dependencies;
  await storeChanges(dependencies, entry, [
    ...(entry.source === undefined ? [] : [[folder.projectFile, textWithout(dependencies, entry)] as const]),
    ...(isOwnFile(folder, entry.file)
      ? [entry.file, ...overlayFiles(entry.file).filter((file) => existsSync(file))].map(
          (file) => [file, undefined] as const,
        )
      : []),
    ...forgetHistory(folder, name),
    [registrationFile(folder, name), undefined],
    ...turnedOn(folder, name),
  ]);
  dependencies.disabled.look();
}

/** A later API with the same name must not be disabled. */
function turnedOn(folder: ApiFolder, name: string): readonly (readonly [string, string | undefined])[] {
  const disabled = readDisabled(folder);
  if (!disabled.has(name)) return [];
  const others = [...disabled].filter(([each]) => each !== name);
  return [[disabledFile(folder), writeDisabled(new Map(others))]];
}

function textWithout(dependencies: ChangeDependencies, { name }: ApiEntry): string {
  if (readApis(dependencies.folder).filter(({ source }) => source !== undefined).length > 1) {
    return withoutSource(projectText(dependencies), name);
  }
  throw new GatewayError('Conflict', `${name} is the only API of the project: there must be one.`);
}
