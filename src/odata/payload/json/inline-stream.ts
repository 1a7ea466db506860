import { GatewayError } from '../../../contract/gateway-error.ts';
import { type Row, rawJson, type Value } from '../../../contract/row.ts';
import type { JsonObject } from './value-writers.ts';

/** A stream in a row. */
interface InlineStream {
  readonly mediaType: string | null;
  readonly base64: string;
}

const TEXT = /^text\/[^;]+(?:;\s*charset\s*=\s*"?(?:utf-8|us-ascii)"?\s*)?$/i;
const JSON_TYPE = /^application\/(?:json|[^;\s/]+\+json)\s*(?:;|$)/i;
const UNKNOWN = 'application/octet-stream';

/**
 * Writes streams within their entity (JSON Format 4.01, 9 and 10): values of stream properties as JSON or
 * strings if possible; other streams as base64url; null without a stream.
 */
export function streamWriter(name: string, prefix: string | undefined) {
  const typeName =
    prefix === undefined ? undefined : `${name === '$value' ? '' : name}${prefix}mediaContentType`;
  return {
    template: { ...(typeName !== undefined && { [typeName]: undefined }), [name]: undefined },
    write(target: JsonObject, row: Row): void {
      const found = row[name] as InlineStream | null | undefined;
      if (found === undefined) return;
      if (found !== null && typeName !== undefined) target[typeName] = found.mediaType ?? UNKNOWN;
      target[name] = found === null ? null : name === '$value' ? found.base64 : content(found);
    },
  };
}

function content({ mediaType, base64 }: InlineStream): Value {
  const type = mediaType ?? UNKNOWN;
  if (!JSON_TYPE.test(type) && !TEXT.test(type)) return base64;
  const text = textOf(base64);
  return TEXT.test(type) ? text : jsonOf(text);
}

function textOf(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64url'));
  } catch {
    throw unreadable('text in UTF-8');
  }
}

/** Numbers keep their digits. */
function jsonOf(text: string): Value {
  try {
    return JSON.parse(text, (_: string, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value,
    );
  } catch {
    throw unreadable('JSON');
  }
}

function unreadable(expected: string): GatewayError {
  return new GatewayError(
    'UpstreamBadResponse',
    `A stream that is to be shown in its entity is not ${expected}.`,
  );
}
