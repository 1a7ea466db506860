import { GatewayError } from '../../../contract/gateway-error.ts';
import {
  isRefused,
  MEDIA_TYPES,
  matchesType,
  parseAccept,
  parseMediaRange,
} from '../negotiation/media-range.ts';
import type { ODataVersion } from '../negotiation/version.ts';

/** The two forms of a batch: Part 1, 11.7.7, and JSON Format, 19. */
export type BatchForm = 'multipart' | 'json';

const TYPES: Readonly<Record<BatchForm, string>> = {
  multipart: 'multipart/mixed',
  json: MEDIA_TYPES.json,
};

/** The form of a batch by its Content-Type; JSON is in UTF-8. */
export function batchForm(contentType: string | undefined): BatchForm {
  const { type, parameters } = parseMediaRange(contentType ?? '');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type === TYPES.multipart) return 'multipart';
  if (type === TYPES.json && (charset === 'utf-8' || charset === 'utf8')) return 'json';
  const message = `Content-Type: expected ${TYPES.multipart} or ${TYPES.json} in UTF-8.`;
  throw new GatewayError('UnsupportedMediaType', message, { target: 'Content-Type' });
}

/**
 * The form of the answer, by `$format` or else by Accept; where both will do, the form of the request.
 *
 * OData 4.0 has no other form than multipart, so there it answers multipart: a client that accepts JSON means
 * the answers within.
 */
export function negotiateBatchForm(
  format: string | undefined,
  accept: string | undefined,
  requested: BatchForm,
  version: ODataVersion,
): BatchForm {
  if (format !== undefined && /^json$/i.test(format)) return 'json';
  const wanted = format ?? accept ?? '';
  if (wanted.trim() === '') return requested;
  const ranges = parseAccept(wanted);
  const quality = (form: BatchForm): number => {
    if (isRefused(ranges, TYPES[form])) return 0;
    return Math.max(
      0,
      ...ranges.filter((range) => matchesType(range, TYPES[form])).map((range) => range.quality),
    );
  };
  const isMeantForParts = requested === 'multipart' && version === '4.0' && format === undefined;
  if (isMeantForParts && quality('json') > 0 && !isRefused(ranges, TYPES.multipart)) return 'multipart';
  const other = requested === 'json' ? 'multipart' : 'json';
  if (quality(other) > quality(requested)) return other;
  if (quality(requested) > 0) return requested;
  const target = format === undefined ? 'Accept' : '$format';
  const message = `${target}: the answer to a batch can be had as ${TYPES.multipart} or ${TYPES.json}.`;
  throw new GatewayError('NotAcceptable', message, { target });
}
