import { GatewayError } from '../../contract/gateway-error.ts';
import type { FieldRequest } from './field-request.ts';

/** Bytes that equal bytes can be recognised by cost a comparison; decoded ones would cost a decoding too. */
const OWN_HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'duogate',
};

/** RFC 9110, section 5.5; undici refuses more, but a client shall be told that it was the client's. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names and values in turn. */
export function listHeaders(...sets: readonly Readonly<Record<string, string>>[]): readonly string[] {
  const headers: Record<string, string> = Object.assign({}, OWN_HEADERS, ...sets);
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_VALUE.test(value)) {
      throw new GatewayError(
        'BadRequest',
        `The value for the header "${name}" has characters that no header can have.`,
      );
    }
  }
  return Object.entries(headers).flat();
}

/** What this one call has for header fields of its own. */
export function ownHeaders({
  mediaType,
  stream,
  conditions,
}: FieldRequest): Readonly<Record<string, string>> | undefined {
  if (mediaType === undefined && stream === undefined && conditions === undefined) return undefined;
  const fields = {
    ...conditions,
    ...(stream && { accept: '*/*', ...stream.conditions }),
    'content-type': mediaType,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
