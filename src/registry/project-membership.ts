import { existsSync } from 'node:fs';
import { GatewayError } from '../contract/gateway-error.ts';
import { overlayFiles } from '../openapi/overlay/overlay-document.ts';
import { demandWritable, findApi, findEntry, serviceUrlOf } from './apis/registry.ts';
import { type ChangeDependencies, demandOwnFile, projectText, storeChanges } from './apis/store-changes.ts';
import { refuseOpenReferences } from './demand-document.ts';
import {
  type ApiEntry,
  isOwnFile,
  isRegisteredAsIs,
  readApis,
  registrationFile,
  registrationOf,
  shownPath,
  writeRegistration,
} from './folder/api-folder.ts';
import { newSource, withoutSource, withSource } from './folder/project-sources.ts';
import { forgetHistory } from './history/api-history.ts';

/** Takes an API into the project: it is served when the promise resolves. */
export async function addApi(ground: ChangeDependencies, name: string): Promise<void> {
  demandWritable(ground);
  const { entry, examination } = await findApi(ground, name);
  const { folder, guard } = ground;
  if (entry.source !== undefined) {
    throw new GatewayError('Conflict', `${name} is in the project already.`);
  }
  if (examination.document === undefined) throw new GatewayError('BadRequest', examination.report.summary);
  refuseOpenReferences(examination.report, 'document');
  const url = serviceUrlOf(entry, examination);
  if (url === undefined) {
    const message = 'There is no service URL that can be called: give an absolute http or https URL.';
    throw new GatewayError('BadRequest', message, { target: 'serviceUrl' });
  }
  const registration = registrationOf(entry);
  const { source } = registration;
  const refusal = source === undefined ? await guard.whyNot(url) : undefined;
  if (refusal !== undefined) throw new GatewayError('BadRequest', `${refusal}.`, { target: 'serviceUrl' });
  const added = source ?? newSource(name, `./${shownPath(folder, entry.file)}`, url);
  const kept =
    source === undefined
      ? { ...registration, serviceUrl: url, isFromNetwork: true }
      : { ...registration, source: undefined };
  await storeChanges(ground, entry, [
    [registrationFile(folder, name), writeRegistration(kept)],
    [folder.projectFile, withSource(projectText(ground), added)],
  ]);
}

/** Takes an API out of the project; it stays registered, with all that the project file says of it. */
export async function withdrawApi(ground: ChangeDependencies, name: string): Promise<void> {
  demandWritable(ground);
  const entry = findEntry(ground, name);
  if (entry.source === undefined) throw new GatewayError('Conflict', `${name} is not in the project.`);
  demandOwnFile(ground, entry);
  const registration = registrationOf(entry);
  const kept = { ...registration, source: isRegisteredAsIs(entry) ? undefined : entry.source.written };
  await storeChanges(ground, entry, [
    [registrationFile(ground.folder, name), writeRegistration(kept)],
    [ground.folder.projectFile, textWithout(ground, entry)],
  ]);
}

/** Takes an API out of the project, and its files away. */
export async function deleteApi(ground: ChangeDependencies, name: string): Promise<void> {
  demandWritable(ground);
  const entry = findEntry(ground, name);
  const { folder } = ground;
  await storeChanges(ground, entry, [
    ...(entry.source === undefined ? [] : [[folder.projectFile, textWithout(ground, entry)] as const]),
    ...(isOwnFile(folder, entry.file) ? ownFiles(entry.file).map((file) => [file, undefined] as const) : []),
    ...forgetHistory(folder, name),
    [registrationFile(folder, name), undefined],
  ]);
}

/** A document, and its overlay: an API of the same name is not to have the grants of this one. */
function ownFiles(document: string): readonly string[] {
  return [document, ...overlayFiles(document).filter((file) => existsSync(file))];
}

function textWithout(ground: ChangeDependencies, { name }: ApiEntry): string {
  if (readApis(ground.folder).filter(({ source }) => source !== undefined).length > 1) {
    return withoutSource(projectText(ground), name);
  }
  throw new GatewayError('Conflict', `${name} is the only API of the project: there must be one.`);
}
