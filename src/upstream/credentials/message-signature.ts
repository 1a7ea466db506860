import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { MessageSignature, SigningKey } from '../../contract/source-credential.ts';
import { headerIn, type SignRequest, type UnsignedRequest } from '../exchange/request-signature.ts';

/**
 * Signs requests by HTTP Message Signatures with HMAC-SHA256 (RFC 9421, 3.3.3). A body gets a `Content-Digest`
 * (RFC 9530), which the signature covers; a body that is streamed has none.
 */
export function messageSigner(
  { components, secretEncoding }: Pick<MessageSignature, 'components' | 'secretEncoding'>,
  { id, secret }: SigningKey,
): SignRequest {
  const key = Buffer.from(secret.reveal(), secretEncoding === 'text' ? 'utf8' : secretEncoding);
  const keyId = id.replace(/["\\]/g, '\\$&');
  return (request) => {
    const digest = components.includes('content-digest') ? contentDigest(request) : {};
    const covered = components.flatMap((name) => {
      const value = digest[name] ?? componentOf(request, name);
      return value === undefined ? [] : [{ name: `"${name}"`, value }];
    });
    const created = Math.floor(Date.now() / 1_000);
    const nonce = randomBytes(18).toString('base64');
    const parameters = `created=${created};nonce="${nonce}";keyid="${keyId}";alg="hmac-sha256"`;
    const input = `(${covered.map(({ name }) => name).join(' ')});${parameters}`;
    const base = [...covered, { name: '"@signature-params"', value: input }]
      .map(({ name, value }) => `${name}: ${value}`)
      .join('\n');
    const signature = createHmac('sha256', key).update(base).digest('base64');
    return { headers: { ...digest, 'signature-input': `sig1=${input}`, signature: `sig1=:${signature}:` } };
  };
}

function contentDigest({ body, isStreamed }: UnsignedRequest): Readonly<Record<string, string>> {
  if (body === undefined || isStreamed) return {};
  return { 'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:` };
}

/** The value of a derived component (RFC 9421, 2.2) or of a header field; undefined for a field that is missing. */
function componentOf({ method, origin, path, headers }: UnsignedRequest, name: string): string | undefined {
  const { protocol, host } = new URL(origin);
  const [pathOnly = '', query = ''] = path.split(/\?(.*)/s);
  switch (name) {
    case '@method':
      return method;
    case '@authority':
    case 'host':
      return host;
    case '@scheme':
      return protocol.slice(0, -1);
    case '@target-uri':
      return `${protocol}//${host}${path}`;
    case '@request-target':
      return path;
    case '@path':
      return pathOnly;
    case '@query':
      return `?${query}`;
    default:
      return headerIn(headers, name);
  }
}
