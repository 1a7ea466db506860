import { createHash, createHmac } from 'node:crypto';
import type { ReceivedRequest } from './stand-in-upstream.ts';

/** Verifies signatures as a server does: from what it received, by code that is not the gateway's. */

/** Finds the secret of a key by its id; undefined for an unknown one. */
type SecretOf<Secret = string> = (id: string) => Secret | undefined;

type Received = Pick<ReceivedRequest, 'method' | 'target' | 'headers' | 'body'>;

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** The id of the key that signed the request by AWS Signature Version 4; undefined if anything does not match. */
export function awsKeyOf(
  { method, target, headers, body }: Received,
  secretOf: SecretOf,
): string | undefined {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([\da-f]{64})$/;
  const [, id = '', day = '', region = '', service = '', names = '', signature] =
    pattern.exec(headers['authorization'] ?? '') ?? [];
  const secret = secretOf(id);
  const time = headers['x-amz-date'] ?? '';
  if (secret === undefined || !time.startsWith(day) || !names.split(';').includes('host')) return undefined;
  for (const name of Object.keys(headers)) {
    if (name.startsWith('x-amz-') && !names.split(';').includes(name)) return undefined;
  }
  const declared = headers['x-amz-content-sha256'];
  const content = declared ?? sha256(body);
  if (declared !== undefined && declared !== 'UNSIGNED-PAYLOAD' && declared !== sha256(body))
    return undefined;
  const [path = '', query = ''] = target.split('?', 2);
  const strict = (text: string): string =>
    [...Buffer.from(text)]
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
  const parameters = [...new URLSearchParams(query)].map(
    ([name, value]) => `${strict(name)}=${strict(value)}`,
  );
  const canonical = [
    method,
    (service === 's3' ? decodeURIComponent(path) : path).split('/').map(strict).join('/'),
    parameters.sort().join('&'),
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    content,
  ].join('\n');
  let key: string | Buffer = `AWS4${secret}`;
  for (const part of [day, region, service, 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/${service}/aws4_request\n${sha256(canonical)}`;
  return createHmac('sha256', key).update(text).digest('hex') === signature ? id : undefined;
}

/** The id of the key that signed the message (RFC 9421); undefined if anything does not match. */
export function messageKeyOf(
  { method, target, headers, body }: Received,
  secretOf: SecretOf<string | Buffer>,
): string | undefined {
  const [, label, input = ''] = /^(\w+)=(\(.*)$/.exec(headers['signature-input'] ?? '') ?? [];
  const [, sent] = new RegExp(`^${label}=:([^:]+):$`).exec(headers['signature'] ?? '') ?? [];
  const id = /;keyid="([^"]*)"/.exec(input)?.[1] ?? '';
  const secret = secretOf(id);
  const names = [...(/^\(([^)]*)\)/.exec(input)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  if (secret === undefined || (input.includes(';alg=') && !input.includes(';alg="hmac-sha256"')))
    return undefined;
  const digest = headers['content-digest'];
  const expected = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  if (digest !== undefined && digest !== expected) return undefined;
  if (body.length > 0 && names.length > 0 && !names.includes('content-digest')) return undefined;
  const [path = '', query] = target.split('?', 2);
  const derived: Readonly<Record<string, string | undefined>> = {
    '@method': method,
    '@authority': headers['host']?.toLowerCase(),
    '@path': path,
    '@query': `?${query ?? ''}`,
  };
  const lines = names.map((name) => `"${name}": ${derived[name] ?? headers[name]}`);
  const base = [...lines, `"@signature-params": ${input}`].join('\n');
  return createHmac('sha256', secret).update(base).digest('base64') === sent ? id : undefined;
}

/** The user of a Digest credential (RFC 7616, 3.4), and the parameters that it was sent with. */
export function digestUserOf(
  { method, headers }: Pick<Received, 'method' | 'headers'>,
  secretOf: SecretOf,
): { readonly user: string; readonly parameters: Readonly<Record<string, string>> } | undefined {
  const sent = headers['authorization'] ?? '';
  if (!sent.startsWith('Digest ')) return undefined;
  const parameters = Object.fromEntries(
    [...sent.matchAll(/([\w*]+)=(?:"([^"]*)"|([^\s,]+))/g)].map(([, name = '', text, token]) => [
      name,
      text ?? token ?? '',
    ]),
  );
  const { username: user = '', realm, nonce, uri, nc, cnonce, qop, response, algorithm = 'MD5' } = parameters;
  const secret = secretOf(user);
  if (secret === undefined) return undefined;
  const hash = (text: string): string =>
    createHash(algorithm.startsWith('SHA-256') ? 'sha256' : 'md5')
      .update(text)
      .digest('hex');
  const subject = hash(`${user}:${realm}:${secret}`);
  const first = algorithm.endsWith('-sess') ? hash(`${subject}:${nonce}:${cnonce}`) : subject;
  const expected = hash(`${first}:${nonce}:${nc}:${cnonce}:${qop}:${hash(`${method}:${uri}`)}`);
  return expected === response ? { user, parameters } : undefined;
}
