import { credentialPlaces, type SourceAccess } from '../contract/source-credential.ts';
import type { SuppliedParameters } from '../openapi/document/document-source.ts';

/** The content of a `.meshrc.yaml`, with environment variables replaced. */
export interface Project {
  /** Paths in the file are relative to it. */
  readonly directory: string;
  readonly sources: readonly ProjectSource[];
}

/** One API behind the gateway. */
export interface ProjectSource {
  readonly name: string;
  /** Absolute path of the OpenAPI document. */
  readonly document: string;
  /** Absolute URL, without a slash at its end; empty where it was to come from a document that cannot be read. */
  readonly endpoint: string;
  /** Sent with each call; names in lower case. */
  readonly operationHeaders: Readonly<Record<string, string>>;
  /** Added to the query of each call. */
  readonly queryParams?: Readonly<Record<string, string>>;
  /** Undefined where nothing else lets the gateway in. */
  readonly access?: SourceAccess | undefined;
}

/** The endpoint of a source that is only examined. */
export const UNCALLED = 'http://uncalled.invalid';

/** The parameters that a source sets for each call, so that clients need not. */
export function suppliedBy({
  endpoint,
  operationHeaders,
  queryParams,
  access,
}: ProjectSource): SuppliedParameters {
  const places = credentialPlaces(access?.credential);
  return {
    headers: new Set(Object.keys({ ...operationHeaders, ...places.operationHeaders })),
    query: new Set(Object.keys({ ...queryParams, ...places.queryParams })),
    ...(endpoint !== '' && endpoint !== UNCALLED && { endpoint }),
  };
}

/** The mistake in the URL of a token endpoint (RFC 6749, 3.2), as the rest of a sentence. */
export function validateTokenUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an absolute http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  return url.hash === '' ? undefined : 'must not have a fragment';
}
