import { GatewayError } from '../contract/gateway-error.ts';

const MEBIBYTE = 1024 * 1024;

export const LARGEST_DOCUMENT = 5 * MEBIBYTE;

/** A document is a text in JSON there: its line breaks and quotation marks take two bytes each. */
export const LARGEST_REQUEST = 2 * LARGEST_DOCUMENT;

export function tooLarge(target: string): GatewayError {
  return new GatewayError('PayloadTooLarge', 'An OpenAPI document has 5 MiB at most.', { target });
}
