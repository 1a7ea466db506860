import { isUtf8 } from 'node:buffer';
import type { WholeResponse } from '../../../contract/exchange.ts';
import { MEDIA_TYPES, parseMediaRange } from '../negotiation/media-range.ts';
import { batchBody, type Chunk } from './batch-body.ts';
import type { BatchAnswer, ItemAnswer } from './batch-request.ts';
import type { WrittenBatch } from './write-multipart.ts';

/** The answers in the JSON form (JSON Format, 19.5). Bodies that are JSON go in as they are. */
export function writeJsonBatch(items: readonly ItemAnswer[]): WrittenBatch {
  const responses = items.flatMap((item) => {
    if (item.kind === 'request') return [responseObject(item.answer, undefined)];
    return item.answers.map((answer) => responseObject(answer, item.id));
  });
  const chunks = responses.flatMap((response, place) => (place === 0 ? response : [',', ...response]));
  return { contentType: MEDIA_TYPES.json, body: batchBody(['{"responses":[', ...chunks, ']}']) };
}

/** A request that came without an id is named by its place. */
function responseObject({ request, response }: BatchAnswer, group: string | undefined): readonly Chunk[] {
  const { status, headers } = response;
  const named = { id: request.id ?? request.place, ...(group !== undefined && { atomicityGroup: group }) };
  const body = bodyJson(response);
  const members = JSON.stringify({ ...named, status, headers }).slice(0, -1);
  return body === undefined ? [members, '}'] : [`${members},"body":`, body, '}'];
}

/** 19.5: JSON as it is, text as a string, and everything else as base64url. */
function bodyJson({ headers, body }: WholeResponse): Chunk | undefined {
  if (body === undefined) return undefined;
  const bytes = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { type } = parseMediaRange(headers['content-type'] ?? '');
  if (type === MEDIA_TYPES.json || type.endsWith('+json')) return asJson(bytes);
  if (type.startsWith('text/')) return JSON.stringify(bytes.toString());
  return JSON.stringify(Buffer.from(body).toString('base64url'));
}

/** JSON is UTF-8 (RFC 8259, 8.1); what an API sent as JSON may not be. */
function asJson(body: string | Buffer): Chunk {
  return typeof body === 'string' || isUtf8(body) ? body : body.toString();
}
