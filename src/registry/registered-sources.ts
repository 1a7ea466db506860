import { plainServiceUrl, validateServiceUrl } from '../core/service-url.ts';
import { serverUrl } from '../openapi/document/document-source.ts';
import { type ApiFolder, readApis } from './folder/api-folder.ts';

/** A source of a project with its endpoint. */
interface CalledSource {
  readonly name: string;
  readonly endpoint: string;
}

/**
 * Returns whether the document of an API may have come over the network, by the files at the time of this
 * call.
 */
export function documentsFromNetwork(folder: ApiFolder): (name: string) => boolean {
  const registrations = readApis(folder).flatMap(({ registration }) => registration ?? []);
  const names = new Set(registrations.filter((each) => each.isFromNetwork).map(({ name }) => name));
  return (name) => names.has(name);
}

/**
 * Returns whether the endpoint of a source came over the network: it is the registered service URL, or that
 * of a registered document. By the files at the time of this call.
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
