import type { GatewayRequest, StreamBody } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import { matchesType, parseMediaRange } from './format.ts';

/** A body that is forwarded unchanged. */
interface MediaContent {
  readonly body: Uint8Array | StreamBody;
  readonly mediaType: string;
}

/**
 * The body of a request as a stream. Its media type must be accepted, if the document restricts it; a body
 * without a type is unrestricted (RFC 9110, 8.3).
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

/** Whether a create sends the stream of a media entity, which may also be created from JSON. */
export function isMediaInsert({ media }: InsertOperation, contentType: string | undefined): boolean {
  return media?.only === true || (media !== undefined && isTaken(contentType ?? '', media.mediaTypes));
}

/** Whether the media type is in the list of types and ranges. */
function isTaken(mediaType: string, taken: readonly string[]): boolean {
  const { type } = parseMediaRange(mediaType);
  return taken.some((range) => matchesType(parseMediaRange(range), type));
}

function unsupported(expected: string): GatewayError {
  const target = 'Content-Type';
  return new GatewayError('UnsupportedMediaType', `${target}: expected ${expected}.`, { target });
}

/** Rejects a content coding; the client may retry without (RFC 9110, 12.5.3 and 15.5.16). */
export function assertNoCoding(headers: GatewayRequest['headers']): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new GatewayError('UnsupportedMediaType', 'Content-Encoding: expected none.', {
    target: 'Content-Encoding',
    headers: { 'accept-encoding': 'identity' },
  });
}
