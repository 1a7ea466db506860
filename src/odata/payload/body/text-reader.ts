import type { GatewayRequest } from '../../../contract/exchange.ts';
import type { TextReader } from '../../../engine/input/reading.ts';
import { parseMediaRange } from '../negotiation/media-range.ts';
import { untypedOfText } from '../negotiation/untyped-text.ts';
import { bodyVersion } from '../negotiation/version.ts';
import { parseNested } from './body-json.ts';

type Headers = GatewayRequest['headers'];

/**
 * How a body's texts are read by what its header fields say. 4.0 has texts in the place of values that each tell their
 * type themselves; with IEEE754Compatible, numbers may be texts (JSON Format 4.01, 3.2).
 */
export function textReader(headers: Headers): TextReader | undefined {
  const isUntypedText = bodyVersion(headers) === '4.0';
  const isNumberText = hasNumbersAsText(headers);
  if (!isUntypedText && !isNumberText) return undefined;
  return (type, text) => {
    if (isUntypedText && type === 'Edm.Untyped') return untypedOfText(text, parseNested);
    return isNumberText && SHORT.has(type) && NUMBER.test(text) ? Number(text) : text;
  };
}

/** The numeric types whose values JSON numbers hold; of the others, texts are taken at any time. */
const SHORT: ReadonlySet<string> = new Set([
  'Edm.Byte',
  'Edm.SByte',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Single',
  'Edm.Double',
]);

/** A JSON number (RFC 8259, 6), with as many digits as a double may be written with. */
const NUMBER = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/;

function hasNumbersAsText(headers: Headers): boolean {
  const { parameters } = parseMediaRange(headers['content-type'] ?? '');
  return parameters.get('ieee754compatible')?.toLowerCase() === 'true';
}
