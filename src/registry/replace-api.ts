import { GatewayError } from '../contract/gateway-error.ts';
import { own } from '../document/openapi-version.ts';
import { demandDocument } from './demand-document.ts';
import { type ApiEntry, isRegisteredAsIs, registrationFile, registrationOf } from './folder/api-folder.ts';
import { withEndpoint } from './folder/edit-project.ts';
import { type Registration, writeRegistration } from './folder/registration.ts';
import { demandWritable, type FoundApi, findApi } from './registry.ts';
import type { ApiReplacement } from './request-fields.ts';
import { compareServices, demandConfirmed } from './service-changes.ts';
import { type ChangeGround, demandOwnFile, projectText, storeChanges } from './store-changes.ts';

/** Replaces what is given of an API; one that is served is served as it is then, or nothing is changed. */
export async function replaceApi(
  ground: ChangeGround,
  name: string,
  { description, serviceUrl, document }: ApiReplacement,
  { fetchUrl, confirmed }: { readonly fetchUrl?: string; readonly confirmed: readonly string[] },
): Promise<void> {
  demandWritable(ground);
  const { entry, examination } = await findApi(ground, name);
  const { folder } = ground;
  if (serviceUrl !== undefined) demandOwnUrl(entry);
  if (document !== undefined) {
    demandOwnFile(ground, entry);
    await demandSameServer(ground, { entry, examination }, document);
    await demandDocument(ground.examinations, document, entry, fetchUrl === undefined ? 'document' : 'url');
    if (entry.source !== undefined) {
      const later = (await ground.examinations.ofText(document, name, entry.file)).examination;
      demandConfirmed(compareServices(examination.shape, later.shape), confirmed);
    }
  }
  const registration = registrationOf(entry);
  const replaced = {
    ...registration,
    description: description ?? registration.description,
    serviceUrl: serviceUrl ?? registration.serviceUrl,
    fetchUrl: fetchUrl ?? registration.fetchUrl,
    isFromNetwork: registration.isFromNetwork || document !== undefined || serviceUrl !== undefined,
  };
  await storeChanges(ground, entry, [
    [registrationFile(folder, name), writeRegistration(replaced)],
    ...(document === undefined ? [] : [[entry.file, document] as const]),
    ...(serviceUrl === undefined || entry.source === undefined
      ? []
      : [[folder.projectFile, withEndpoint(projectText(ground), name, serviceUrl)] as const]),
  ]);
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

/**
 * Where the project file names no URL, the document does. It is asked whether the file does, and not where calls go at
 * the moment: an API that is not served now may be tomorrow, and a variable that is set now may not be.
 */
async function demandSameServer(
  { examinations }: ChangeGround,
  { entry, examination }: Pick<FoundApi, 'entry' | 'examination'>,
  document: string,
): Promise<void> {
  const written = entry.source?.written ?? entry.registration?.source;
  if (isRegisteredAsIs(entry) || !leavesUrlToDocument(written)) return;
  const [earlier] = examination.servers;
  const [later] = (await examinations.ofText(document, entry.name, entry.file)).examination.servers;
  if (later?.url === earlier?.url) return;
  const message =
    'The project file leaves the service URL to the document: its first server must stay as it is.';
  throw new GatewayError('Forbidden', message, { target: 'document' });
}

/** Whether what the project file has or had of an API names no URL by itself, and so may send its credentials anywhere. */
function leavesUrlToDocument(source: Registration['source']): boolean {
  const endpoint = own(own(own(source, 'handler'), 'openapi'), 'endpoint');
  return source !== undefined && (typeof endpoint !== 'string' || /^$|\{env\./.test(endpoint));
}
