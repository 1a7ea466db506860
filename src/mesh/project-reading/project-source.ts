import type { SuppliedParameters } from '../../openapi/document/document-source.ts';
import { credentialPlaces, type SourceAccess } from './source-credential.ts';

/** What a `.meshrc.yaml` says, with the environment filled in. */
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

/** What a source gives with each call, so that its callers need not. */
export function suppliedBy({ operationHeaders, queryParams, access }: ProjectSource): SuppliedParameters {
  const places = credentialPlaces(access?.credential);
  return {
    headers: new Set(Object.keys({ ...operationHeaders, ...places.operationHeaders })),
    query: new Set(Object.keys({ ...queryParams, ...places.queryParams })),
  };
}
