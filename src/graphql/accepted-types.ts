import { GatewayError } from '../contract/gateway-error.ts';

/** A media range of an Accept header, with its parameters. */
const RANGE = /^([^;\s]+)\s*((?:;[^;]*)*)$/;
const REFUSED = /;\s*q\s*=\s*0(?:\.0{0,3})?\s*(?:;|$)/i;
const ANSWERED = /^(?:application\/(?:graphql-response\+)?json|application\/\*|\*\/\*)$/i;

/**
 * The part of an Accept header (RFC 9110, 12.5.1) that selects the response, which is a single JSON text.
 * Undefined for any media type.
 */
export function acceptedTypes(accept: string | undefined): string | undefined {
  if (accept === undefined || accept.trim() === '') return undefined;
  const ranges = accept.split(',').filter((range) => {
    const [, type = '', parameters = ''] = RANGE.exec(range.trim()) ?? [];
    return ANSWERED.test(type) && !REFUSED.test(parameters);
  });
  if (ranges.length > 0) return ranges.join(',').trim();
  const message = 'Accept: expected application/json or application/graphql-response+json, found neither.';
  throw new GatewayError('NotAcceptable', message, { target: 'Accept' });
}
