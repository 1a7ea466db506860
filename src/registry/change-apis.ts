import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type DocumentReport, EXTERNAL_REFERENCE, REFERENCE_CYCLE } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { changeFiles, type FileChanges } from './change-files.ts';
import { serviceUrlOf } from './describe-api.ts';
import type { Examinations } from './examinations.ts';
import { type ApiEntry, isOwnFile, readApis, registrationFile, shownPath } from './folder/api-folder.ts';
import { newSource, withEndpoint, withoutSource, withSource } from './folder/project-sources.ts';
import { type Registration, writeRegistration } from './folder/registration.ts';
import { demandWritable, type FoundApi, findApi, findEntry, type RegistryGround } from './registry.ts';
import type { ApiReplacement, NewApi } from './request-fields.ts';

/** What changes of the registry need besides. */
export interface ChangeGround extends RegistryGround {
  /** Resolves when the project's files as they are now are served; rejects with the reason where they cannot be. */
  readonly settle: () => Promise<void>;
}

/** Stores an API beside the project. */
export async function registerApi(ground: ChangeGround, api: NewApi): Promise<void> {
  demandWritable(ground);
  const { folder } = ground;
  if (readApis(folder).some(({ name }) => name.toLowerCase() === api.name.toLowerCase())) {
    const message = `There is an API named ${api.name} already.`;
    throw new GatewayError('Conflict', message, { target: 'name' });
  }
  await demandDocument(ground.examinations, api.document, api.name);
  const file = freeFile(folder.documents, api);
  const { name, description, serviceUrl } = api;
  const registration = { ...NO_REGISTRATION, name, description, serviceUrl, file };
  await store(ground, undefined, [
    [join(folder.documents, file), api.document],
    [registrationFile(folder, name), writeRegistration(registration)],
  ]);
}

const NO_REGISTRATION = {
  description: '',
  serviceUrl: undefined,
  fetchUrl: undefined,
  source: undefined,
} satisfies Partial<Registration>;

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

/** Throws BadRequest for a text that is no OpenAPI document, or none that stands by itself. */
export async function demandDocument(
  examinations: Examinations,
  text: string,
  name: string,
  target = 'document',
): Promise<void> {
  const { report, document } = (await examinations.ofText(text, name)).examination;
  if (document === undefined) throw new GatewayError('BadRequest', report.summary, { target });
  refuseOpenReferences(report, target);
}

const OPEN: ReadonlySet<string> = new Set([EXTERNAL_REFERENCE, REFERENCE_CYCLE]);
const MOST_DETAILS = 20;

function refuseOpenReferences({ findings }: DocumentReport, target: string): void {
  const open = findings.filter(({ rule }) => OPEN.has(rule));
  if (open.length === 0) return;
  const details = open.slice(0, MOST_DETAILS).map(({ message, line, pointer }) => ({
    code: 'BadRequest' as const,
    message: `Line ${line}: ${message}.`,
    target: pointer,
  }));
  const message =
    'The document does not stand by itself: it has references to other files, or that lead in a circle. ' +
    '`npx @redocly/cli bundle FILE` puts several files into one.';
  throw new GatewayError('BadRequest', message, { target, details });
}

/** Replaces what is given of an API; one that is served is served as it is then, or nothing is changed. */
export async function replaceApi(
  ground: ChangeGround,
  name: string,
  { description, serviceUrl, document }: ApiReplacement,
  fetchUrl?: string,
): Promise<void> {
  demandWritable(ground);
  const { entry, examination } = await findApi(ground, name);
  const { folder } = ground;
  if (serviceUrl !== undefined) demandOwnUrl(entry);
  if (document !== undefined) {
    demandOwnFile(ground, entry);
    await demandSameServer(ground, { entry, examination }, document);
    await demandDocument(ground.examinations, document, name, fetchUrl === undefined ? 'document' : 'url');
  }
  const registration = entry.registration ?? registrationOf(entry);
  const replaced = {
    ...registration,
    description: description ?? registration.description,
    serviceUrl: serviceUrl ?? registration.serviceUrl,
    fetchUrl: fetchUrl ?? registration.fetchUrl,
  };
  // What of an API came over the network is known by its registration.
  const isRegistered = [entry.registration, document, serviceUrl, fetchUrl].some(
    (each) => each !== undefined,
  );
  await store(ground, entry, [
    ...(isRegistered ? [[registrationFile(folder, name), writeRegistration(replaced)] as const] : []),
    ...(document === undefined ? [] : [[entry.file, document] as const]),
    ...(serviceUrl === undefined || entry.source === undefined
      ? []
      : [[folder.projectFile, withEndpoint(projectText(ground), name, serviceUrl)] as const]),
  ]);
}

function registrationOf({ name, file }: ApiEntry): Registration {
  return { ...NO_REGISTRATION, name, file: file.replace(/^.*[/\\]/, '') };
}

/** Documents elsewhere are not the registry's. */
function demandOwnFile({ folder }: ChangeGround, { file }: ApiEntry): void {
  if (isOwnFile(folder, file)) return;
  const message = `The document is ${shownPath(folder, file)}: only those in openapi/ can be changed here.`;
  throw new GatewayError('Forbidden', message);
}

/**
 * What is written in the project file by hand may send the operator's credentials: nobody else decides where to.
 */
function demandOwnUrl(entry: ApiEntry): void {
  const isByHand =
    entry.source === undefined ? entry.registration?.source !== undefined : !isRegisteredAsIs(entry);
  if (isByHand) throw new GatewayError('Forbidden', BY_HAND, { target: 'serviceUrl' });
}

const BY_HAND = 'The service URL is written in the project file by hand: change it there.';

/** Where the project file names no URL, the document does. */
async function demandSameServer(
  { examinations, served }: ChangeGround,
  { entry, examination }: Pick<FoundApi, 'entry' | 'examination'>,
  document: string,
): Promise<void> {
  const [earlier] = examination.servers;
  const isNamedByDocument = served(entry.name)?.serviceUrl === serviceUrlOf(entry, examination);
  if (entry.source === undefined || isRegisteredAsIs(entry) || !isNamedByDocument) return;
  const [later] = (await examinations.ofText(document, entry.name)).examination.servers;
  if (later?.url === earlier?.url) return;
  const message =
    'The project file leaves the service URL to the document: its first server must stay as it is.';
  throw new GatewayError('Forbidden', message, { target: 'document' });
}

/** Takes an API out of the project, and its files away. */
export async function deleteApi(ground: ChangeGround, name: string): Promise<void> {
  demandWritable(ground);
  const entry = findEntry(ground, name);
  const { folder } = ground;
  await store(ground, entry, [
    ...(entry.source === undefined ? [] : [[folder.projectFile, textWithout(ground, entry)] as const]),
    ...(isOwnFile(folder, entry.file) ? [[entry.file, undefined] as const] : []),
    [registrationFile(folder, name), undefined],
  ]);
}

/** Takes an API into the project: it is served when the promise resolves. */
export async function addApi(ground: ChangeGround, name: string): Promise<void> {
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
  const registration = entry.registration ?? registrationOf(entry);
  const { source } = registration;
  const refusal = source === undefined ? await guard.whyNot(url) : undefined;
  if (refusal !== undefined) throw new GatewayError('BadRequest', `${refusal}.`, { target: 'serviceUrl' });
  const added = source ?? newSource(name, `./${shownPath(folder, entry.file)}`, url);
  const kept =
    source === undefined ? { ...registration, serviceUrl: url } : { ...registration, source: undefined };
  await store(ground, entry, [
    [registrationFile(folder, name), writeRegistration(kept)],
    [folder.projectFile, withSource(projectText(ground), added)],
  ]);
}

/** Takes an API out of the project; it stays registered, with all that the project file says of it. */
export async function withdrawApi(ground: ChangeGround, name: string): Promise<void> {
  demandWritable(ground);
  const entry = findEntry(ground, name);
  if (entry.source === undefined) throw new GatewayError('Conflict', `${name} is not in the project.`);
  demandOwnFile(ground, entry);
  const registration = entry.registration ?? registrationOf(entry);
  const kept = { ...registration, source: isRegisteredAsIs(entry) ? undefined : entry.source.written };
  await store(ground, entry, [
    [registrationFile(ground.folder, name), writeRegistration(kept)],
    [ground.folder.projectFile, textWithout(ground, entry)],
  ]);
}

/** Nothing has been changed by hand. */
function isRegisteredAsIs({ name, registration, source }: ApiEntry): boolean {
  if (registration?.serviceUrl === undefined || source === undefined) return false;
  const made = newSource(name, source.document, registration.serviceUrl);
  return JSON.stringify(made) === JSON.stringify(source.written);
}

function projectText({ folder }: ChangeGround): string {
  return readFileSync(folder.projectFile, 'utf8');
}

function textWithout(ground: ChangeGround, { name }: ApiEntry): string {
  if (readApis(ground.folder).filter(({ source }) => source !== undefined).length > 1) {
    return withoutSource(projectText(ground), name);
  }
  throw new GatewayError('Conflict', `${name} is the only API of the project: there must be one.`);
}

/** Changes the files, and waits until the project is served as they say where that makes a difference. */
async function store(
  ground: ChangeGround,
  entry: ApiEntry | undefined,
  changes: readonly (readonly [string, string | undefined])[],
): Promise<void> {
  const files: FileChanges = new Map(changes);
  const isOfProject = entry?.source !== undefined || files.has(ground.folder.projectFile);
  const settle = isOfProject ? ground.settle : async () => undefined;
  const settled = async (): Promise<void> => {
    await settle().catch((error) => {
      throw notServed(error, ground);
    });
    const isIn = readApis(ground.folder).some(
      ({ name, source }) => name === entry?.name && source !== undefined,
    );
    if (isOfProject && isIn && entry !== undefined && ground.served(entry.name) === undefined) {
      throw notServed(new Error('it is left out'), ground);
    }
  };
  await changeFiles(files, settled, () => settle().catch(() => undefined)).catch((error) => {
    throw error instanceof GatewayError ? error : notStored(error);
  });
}

function notServed(error: unknown, { folder }: ChangeGround): GatewayError {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The project cannot be served with that, so nothing is changed. ${reason.replaceAll(`${folder.root}/`, '')}`;
  return new GatewayError('BadRequest', message, { cause: error });
}

function notStored(cause: unknown): GatewayError {
  return new GatewayError('Forbidden', 'The files of the project cannot be changed.', { cause });
}
