import { createHash } from 'node:crypto';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import type { ODataVersion } from '../payload/version.ts';
import { unlessKnown } from './entity-tag.ts';
import { dataHeaders } from './response.ts';
import type { Service } from './service.ts';

/** A document that the model alone decides. */
interface ModelDocument {
  readonly body: Uint8Array;
  /** A strong entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
}

const DOCUMENTS = new WeakMap<Service, Map<string, ModelDocument>>();

/**
 * Answers with a document of that media type and version, which is written once for a service however
 * many URLs lead to it; or with 304 where the client has it.
 */
export function answerDocument(
  service: Service,
  request: GatewayRequest,
  version: ODataVersion,
  contentType: string,
  write: () => string,
): GatewayResponse {
  const { etag, body } = remembered(service, `${version} ${contentType}`, write);
  const fields: Readonly<Record<string, string>> = { ...dataHeaders(version, contentType), etag };
  return unlessKnown(request, { status: 200, headers: fields, body });
}

function remembered(service: Service, key: string, write: () => string): ModelDocument {
  const documents = DOCUMENTS.get(service) ?? new Map<string, ModelDocument>();
  DOCUMENTS.set(service, documents);
  const known = documents.get(key);
  if (known !== undefined) return known;
  const body = Buffer.from(write());
  const hash = createHash('sha256').update(key).update('\n').update(body).digest('base64url');
  const document = { body, etag: `"${hash.slice(0, 27)}"` };
  documents.set(key, document);
  return document;
}
