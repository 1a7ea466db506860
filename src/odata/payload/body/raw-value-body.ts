import { GatewayError } from '../../../contract/gateway-error.ts';
import type { ValueType } from '../../../model/edm.ts';
import { isNumeric } from '../../../model/type-use.ts';
import { parseMediaRange } from '../negotiation/media-range.ts';
import { decodeBody } from './body-json.ts';

/**
 * The body of a PUT to `/$value` (Part 1, 11.4.9.1) as the body in JSON that says the same, so that its value goes
 * through the same checks: text, or the bytes of a binary value.
 */
export function jsonOfRawValue(
  { name }: ValueType,
  contentType: string | undefined,
  body: Uint8Array = new Uint8Array(),
): Uint8Array {
  if (name === 'Edm.Binary') return jsonBody(JSON.stringify(Buffer.from(body).toString('base64url')));
  demandText(contentType);
  const text = decodeBody(body, false);
  return jsonBody(isToken(name, text) ? text : JSON.stringify(text));
}

/** What JSON writes without quotes; anything else is told to be no value of the type. */
function isToken(type: string, text: string): boolean {
  if (type === 'Edm.Boolean') return text === 'true' || text === 'false';
  return isNumeric(type) && NUMBER.test(text);
}

/** RFC 8259, 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function demandText(contentType: string | undefined): void {
  const { type, parameters } = parseMediaRange(contentType ?? 'text/plain');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type.startsWith('text/') && (charset === 'utf-8' || charset === 'utf8')) return;
  throw new GatewayError('UnsupportedMediaType', 'Content-Type: expected text/plain in UTF-8.', {
    target: 'Content-Type',
  });
}

function jsonBody(value: string): Uint8Array {
  return Buffer.from(`{"value":${value}}`);
}
