import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { GatewayRequest, GatewayResponse } from './exchange.ts';

/** A response that is the same for all clients, with and without compression. */
export interface StaticFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
}

export async function staticFile(
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<StaticFile> {
  return {
    headers: { ...headers, vary: 'accept-encoding' },
    etag: createHash('sha256').update(body).digest('base64url').slice(0, 27),
    body,
    gzipped: await promisify(gzip)(body, { level: 9 }),
  };
}

/** Each coding of a file has its own ETag (RFC 9110, 8.8.3.3). */
export function answerWithFile(
  { headers, etag, body, gzipped }: StaticFile,
  request: GatewayRequest,
): GatewayResponse {
  const isGzipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers['accept-encoding'] ?? '');
  const tag = isGzipped ? `"${etag}-gzip"` : `"${etag}"`;
  const fields = { ...headers, etag: tag, ...(isGzipped ? { 'content-encoding': 'gzip' } : {}) };
  if (request.headers['if-none-match']?.includes(tag))
    return { status: 304, headers: fields, body: undefined };
  return { status: 200, headers: fields, body: isGzipped ? gzipped : body };
}
