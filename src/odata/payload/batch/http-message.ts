import { STATUS_CODES } from 'node:http';
import type { WholeResponse } from '../../../contract/exchange.ts';

/** A response as a message (RFC 9112, 2.1), in pieces to be put one behind the other. */
export function httpMessage(response: WholeResponse): readonly (string | Uint8Array)[] {
  const { status, headers, body } = response;
  const fields = { ...headers, ...lengthOf(response) };
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`,
    ...Object.entries(fields).map(([name, value]) => `${fieldName(name)}: ${value}\r\n`),
    '\r\n',
    ...(body === undefined ? [] : [body]),
  ];
}

function lengthOf({ body }: WholeResponse): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ['etag', 'ETag'],
  ['odata-version', 'OData-Version'],
  ['odata-entityid', 'OData-EntityId'],
]);

/** Some clients know header fields by their usual letters only. */
function fieldName(name: string): string {
  return FIELD_NAMES.get(name) ?? name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}
