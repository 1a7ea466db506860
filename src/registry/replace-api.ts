import type { Examination, RecordedChange, ServiceChange } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { compareServices } from '../contract/service-changes.ts';
import { overlayFile } from '../openapi/overlay/overlay-document.ts';
import { own } from '../openapi/parse/openapi-version.ts';
import { assertConfirmed } from './apis/assert-confirmed.ts';
import { assertWritable, type FoundApi, findApi, findEntry } from './apis/registry.ts';
import { assertOwnFile, type ChangeDependencies, projectText, storeChanges } from './apis/store-changes.ts';
import { assertDocument } from './assert-document.ts';
import {
  type ApiEntry,
  isRegisteredAsIs,
  type Registration,
  registrationFile,
  registrationOf,
  writeRegistration,
} from './folder/api-folder.ts';
import { withEndpoint } from './folder/project-sources.ts';
import { type ApiState, findState, PARTS, presentState, recordChange } from './history/api-history.ts';
import type { ApiReplacement } from './request-fields.ts';

/** The parts of an API to replace; `overlay: undefined` removes the overlay. */
interface Replacement extends ApiReplacement {
  readonly fetchUrl?: string | undefined;
  readonly overlay?: string | undefined;
}

interface ReplacementOrder {
  /** The id of the user. */
  readonly by: string | null;
  /** The confirmed messages. */
  readonly confirmed: readonly string[];
}

/** Replaces parts of an API. If it is served, the new state is served, or nothing is changed. */
export async function replaceApi(
  dependencies: ChangeDependencies,
  name: string,
  replacement: Replacement,
  { by, confirmed }: ReplacementOrder,
): Promise<void> {
  assertWritable(dependencies);
  const found = await findApi(dependencies, name);
  const { entry } = found;
  const { document, serviceUrl } = replacement;
  if (serviceUrl !== undefined) assertOwnUrl(entry);
  const changes = await changesOf(dependencies, found, replacement);
  if (entry.source !== undefined) assertConfirmed(changes, confirmed, dependencies.needsGrants);
  const { folder } = dependencies;
  const registration = registrationOf(entry);
  const settings = {
    description: replacement.description ?? registration.description,
    serviceUrl: serviceUrl ?? registration.serviceUrl,
    fetchUrl: replacement.fetchUrl ?? registration.fetchUrl,
  };
  const isFromNetwork = registration.isFromNetwork || document !== undefined || serviceUrl !== undefined;
  const texts = {
    ...(document === undefined ? {} : { document }),
    ...('overlay' in replacement ? { overlay: replacement.overlay } : {}),
  };
  const files = [
    ...recordChange(folder, entry, { ...settings, ...texts }, { by, changes }),
    [
      registrationFile(folder, name),
      writeRegistration({ ...registration, ...settings, isFromNetwork }),
    ] as const,
    ...('overlay' in texts ? [[overlayFile(entry.file), texts.overlay] as const] : []),
    ...(document === undefined ? [] : [[entry.file, document] as const]),
    ...(serviceUrl === undefined || entry.source === undefined
      ? []
      : [[folder.projectFile, withEndpoint(projectText(dependencies), name, serviceUrl)] as const]),
  ];
  await storeChanges(dependencies, entry, files, confirmed);
}

/** The effect of the new texts on clients. Throws for invalid texts. */
async function changesOf(
  dependencies: ChangeDependencies,
  { entry, examination }: FoundApi,
  replacement: Replacement,
): Promise<readonly ServiceChange[]> {
  const { name, file } = entry;
  const document = replacement.document ?? presentState(entry)?.document;
  if (document === undefined || !('overlay' in replacement || replacement.document !== undefined)) return [];
  assertOwnFile(dependencies, entry);
  const { examinations } = dependencies;
  const { examination: later } = await ('overlay' in replacement
    ? examinations.ofTexts({ document, overlay: replacement.overlay }, name, file)
    : examinations.ofText(document, name, file));
  assertSameServer(entry, examination, later);
  assertDocument(later, replacement.fetchUrl === undefined ? 'document' : 'url');
  return compareServices(examination.shape, later.shape);
}

/**
 * Throws Forbidden for an entry that was edited by hand: it may send the operator's credentials, so only the
 * operator may change its URL.
 */
function assertOwnUrl(entry: ApiEntry): void {
  const isByHand =
    entry.source === undefined ? entry.registration?.source !== undefined : !isRegisteredAsIs(entry);
  if (isByHand) throw new GatewayError('Forbidden', BY_HAND, { target: 'serviceUrl' });
}

const BY_HAND = 'The service URL is set in the project file: change it there.';

/**
 * Rejects another server in the document if the project file names no URL. Depends on the file, not on the
 * current endpoint, because an API or a variable may be inactive now and active later.
 */
export function assertSameServer(entry: ApiEntry, earlierOne: Examination, laterOne: Examination): void {
  const written = entry.source?.written ?? entry.registration?.source;
  if (isRegisteredAsIs(entry) || !leavesUrlToDocument(written)) return;
  const [[earlier], [later]] = [earlierOne.servers, laterOne.servers];
  if (later?.url === earlier?.url) return;
  const message =
    'The project file leaves the service URL to the document: its first server must stay as it is.';
  throw new GatewayError('Forbidden', message, { target: 'document' });
}

/** Whether an API's entry leaves the URL to the document, which then decides where credentials are sent. */
function leavesUrlToDocument(source: Registration['source']): boolean {
  const endpoint = own(own(own(source, 'handler'), 'openapi'), 'endpoint');
  return source !== undefined && (typeof endpoint !== 'string' || /^$|\{env\./.test(endpoint));
}

/** The number of the state to restore. */
interface RestoreOrder extends Pick<RecordedChange, 'by'> {
  readonly state: number;
  readonly confirmed: readonly string[];
}

/**
 * Restores an earlier state of an API under the same rules as other changes. Its membership in the project
 * does not change.
 */
export async function restoreApi(
  dependencies: ChangeDependencies,
  name: string,
  { state, by, confirmed }: RestoreOrder,
): Promise<void> {
  const entry = findEntry(dependencies, name);
  const { before } = findState(dependencies.folder, name, state);
  const replacement = differences(presentState(entry), before);
  if (Object.keys(replacement).length === 0) {
    throw new GatewayError('Conflict', `${name} is already as it was in state ${state}.`, {
      target: 'state',
    });
  }
  await replaceApi(dependencies, name, replacement, { by, confirmed });
}

/** Only differing parts are replaced, because others may not be changeable. */
function differences(present: ApiState | undefined, before: ApiState): Replacement {
  const differing = PARTS.filter((part) => present?.[part] !== before[part]);
  return Object.fromEntries(differing.map((part) => [part, before[part]]));
}
