import { plainServiceUrl, validateServiceUrl } from '../core/service-url.ts';
import { serverUrl } from '../openapi/document/document-source.ts';
import { type ApiFolder, readApis } from './folder/api-folder.ts';

/** A source of a project, with what it calls. */
interface CalledSource {
  readonly name: string;
  readonly endpoint: string;
}

/**
 * Tells of an API by its name whether its document may have come over the network. The files are as they are when
 * this is called.
 */
export function documentsFromNetwork(folder: ApiFolder): (name: string) => boolean {
  const registrations = readApis(folder).flatMap(({ registration }) => registration ?? []);
  const names = new Set(registrations.filter((each) => each.isFromNetwork).map(({ name }) => name));
  return (name) => names.has(name);
}

/**
 * Tells whether where a source leads to came over the network, and not from the operator: its endpoint is the service
 * URL that it was registered with, or the one of a document that was. The files are as they are when this is called.
 */
export function registeredSources(
  folder: ApiFolder,
): (source: CalledSource, document: { readonly servers?: unknown }) => boolean {
  const entries = readApis(folder);
  return ({ name, endpoint }, { servers }) => {
    const registration = entries.find((entry) => entry.name === name)?.registration;
    if (registration?.isFromNetwork !== true) return false;
    const first = serverUrl(Array.isArray(servers) ? servers[0] : undefined);
    const urls = [registration.serviceUrl, first].filter((url) => url !== undefined);
    return urls.some((url) => validateServiceUrl(url) === undefined && plainServiceUrl(url) === endpoint);
  };
}
