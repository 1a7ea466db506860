import type { GatewayRequest, StreamBody } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import { matchesType, parseMediaRange } from './format.ts';

/** A body that is forwarded as it is. */
interface MediaContent {
  readonly body: Uint8Array | StreamBody;
  readonly mediaType: string;
}

/**
 * The body of a request as a stream. Its type must be one of those taken, where they are known; without a
 * type, it may be any (RFC 9110, 8.3).
 */
export function mediaContent(
  { headers, body = new Uint8Array(), upload }: Pick<GatewayRequest, 'headers' | 'body' | 'upload'>,
  taken: readonly string[] | undefined,
): MediaContent {
  const mediaType = headers['content-type'] ?? 'application/octet-stream';
  if (taken !== undefined && !isTaken(mediaType, taken)) throw unsupported(taken.join(', '));
  assertNoCoding(headers);
  return { body: upload ?? body, mediaType };
}

/** Whether a create with that type is about a stream: a media entity may be made of JSON, too. */
export function isMediaInsert({ media }: InsertOperation, contentType: string | undefined): boolean {
  return media?.only === true || (media !== undefined && isTaken(contentType ?? '', media.mediaTypes));
}

/** Whether the media type is one of those, or within one of those ranges. */
function isTaken(mediaType: string, taken: readonly string[]): boolean {
  const { type } = parseMediaRange(mediaType);
  return taken.some((range) => matchesType(parseMediaRange(range), type));
}

function unsupported(expected: string): GatewayError {
  const target = 'Content-Type';
  return new GatewayError('UnsupportedMediaType', `${target}: expected ${expected}.`, { target });
}

/**
 * Checks that a body is as it is, without a content coding. A client that hears so may send it again (RFC 9110,
 * 12.5.3 and 15.5.16).
 */
export function assertNoCoding(headers: GatewayRequest['headers']): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new GatewayError('UnsupportedMediaType', 'Content-Encoding: expected none.', {
    target: 'Content-Encoding',
    headers: { 'accept-encoding': 'identity' },
  });
}
