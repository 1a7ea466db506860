import { createHash } from 'node:crypto';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { isNamed } from '../engine/change/precondition.ts';
import { methodNotAllowed } from './operations/protocol/response.ts';
import type { CsdlForm } from './payload/csdl/vocabulary-uri.ts';

/** A copy changes only with a release of the gateway. */
const KEPT = 'public, max-age=604800';

const CONTENT_TYPES: Readonly<Record<CsdlForm, string>> = {
  json: 'application/json',
  xml: 'application/xml',
};

/**
 * Serves copies of the vocabularies in `$metadata`, `/Org.OData.Core.V1.xml` and `.json`, for clients without
 * access to the OASIS site. Public and without access control; `folder` is the URL above them.
 */
export function createVocabularies(folder: string): (request: GatewayRequest) => Promise<GatewayResponse> {
  const written = new Map<string, GatewayResponse>();
  return async ({ method, target, headers }) => {
    const path = target.replace(/[?#].*$/s, '');
    const answer = written.get(path) ?? (await vocabularyAt(path, folder));
    if (answer === undefined) throw notFound(path);
    written.set(path, answer);
    if (method === 'OPTIONS') return { status: 204, headers: { allow: ALLOWED }, body: undefined };
    if (method !== 'GET') throw methodNotAllowed(method, ALLOWED);
    const { 'content-type': _, ...unchanged } = answer.headers;
    const known = headers['if-none-match'];
    return known !== undefined && isNamed(known, answer.headers['etag'])
      ? { status: 304, headers: unchanged, body: undefined }
      : answer;
  };
}

const ALLOWED = 'GET, HEAD, OPTIONS';

/** The documents are loaded on first use, because most services never need them. */
async function vocabularyAt(path: string, folder: string): Promise<GatewayResponse | undefined> {
  const [, namespace = '', form] = /^\/([\w.]+)\.(xml|json)$/.exec(path) ?? [];
  if (form !== 'xml' && form !== 'json') return undefined;
  const { writeVocabulary } = await import('./payload/csdl/vocabulary-copy.ts');
  const text = writeVocabulary(namespace, form, folder);
  if (text === undefined) return undefined;
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return {
    status: 200,
    headers: { 'content-type': CONTENT_TYPES[form], 'cache-control': KEPT, etag },
    body,
  };
}

function notFound(path: string): GatewayError {
  const message = `There is no vocabulary at $vocabularies${path}. Those that $metadata references are here, such as $vocabularies/Org.OData.Core.V1.xml.`;
  return new GatewayError('NotFound', message);
}
