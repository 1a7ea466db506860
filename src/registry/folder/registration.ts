import { stringify } from 'yaml';
import { isMapping } from '../../openapi/parse/openapi-version.ts';
import { parseText } from '../../openapi/parse/parse-text.ts';

/**
 * What is known of an API beside its OpenAPI document, in a file beside that.
 *
 * The project file is no place for it: Mesh says of a key that it does not know that the file is not valid,
 * and an API that is not in the project yet has no place there at all.
 */
export interface Registration {
  readonly name: string;
  readonly description: string;
  /** Undefined leaves it to the document's `servers[0]`. */
  readonly serviceUrl: string | undefined;
  /** The name of the document's file, in the same folder. */
  readonly file: string;
  /** Where the document is fetched from. */
  readonly fetchUrl: string | undefined;
  /** Where calls go may have come over the network: with the service URL, or with a document that names a server. */
  readonly isFromNetwork: boolean;
  /** How the project file had it before it was taken out of the project, as it stood there. */
  readonly source: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined where the text is none: somebody may have changed it by hand. */
export function readRegistration(text: string): Registration | undefined {
  const members = readMembers(text);
  const { name, file } = members;
  if (typeof name !== 'string' || typeof file !== 'string' || /[/\\]/.test(file)) return undefined;
  return {
    name,
    file,
    description: textIn(members, 'description') ?? '',
    serviceUrl: textIn(members, 'serviceUrl'),
    fetchUrl: textIn(members, 'fetchUrl'),
    isFromNetwork: members['isFromNetwork'] !== false,
    source: isMapping(members['source']) ? members['source'] : undefined,
  };
}

function readMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseText(text);
    return isMapping(value) ? value : {};
  } catch {
    return {};
  }
}

function textIn(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const HEAD = '# Written by the API registry, beside the OpenAPI document of the API.';
const FROM_NETWORK = `Its service URL was given over the
# network: it is called only where it leads into the Internet, or to a host of REGISTRY_HOSTS.`;

export function writeRegistration(registration: Registration): string {
  const { isFromNetwork, source, ...said } = registration;
  const head = isFromNetwork ? `${HEAD} ${FROM_NETWORK}` : HEAD;
  const members = { ...said, ...(isFromNetwork ? {} : { isFromNetwork }), source };
  return `${head}\n${stringify(members, { lineWidth: 0 })}`;
}
