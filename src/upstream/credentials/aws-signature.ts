import { createHash, createHmac } from 'node:crypto';
import type { AwsSignature, SigningKey } from '../../contract/source-credential.ts';
import { headerIn, type SignRequest, type UnsignedRequest } from '../exchange/request-signature.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';

/**
 * Signs requests by AWS Signature Version 4, in the `Authorization` field. It signs the host, the media type, all
 * fields of AWS and the body; a body that is streamed, or that the settings exclude, is declared unsigned.
 */
export function awsSigner(
  { region, service, payload }: Pick<AwsSignature, 'region' | 'service' | 'payload'>,
  { id, secret, sessionToken }: SigningKey,
): SignRequest {
  return (request) => {
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    const scope = [time.slice(0, 8), region, service, 'aws4_request'];
    const isUnsigned = payload === 'unsigned' || request.isStreamed;
    const content = isUnsigned ? UNSIGNED : sha256(request.body ?? '');
    const own = {
      'x-amz-date': time,
      ...((isUnsigned || service === 's3') && { 'x-amz-content-sha256': content }),
      ...(sessionToken && { 'x-amz-security-token': sessionToken.reveal() }),
    };
    const [path = '', query = ''] = request.path.split(/\?(.*)/s);
    const fields = signedFields(request, own);
    const names = fields.map(([name]) => name).join(';');
    const canonical = [
      request.method,
      service === 's3' ? encodedPath(decoded(path)) : encodedPath(plainPath(path)),
      canonicalQuery(query),
      ...fields.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
      '',
      names,
      content,
    ].join('\n');
    const key = scope.reduce((parent: string | Buffer, word) => hmac(parent, word), `AWS4${secret.reveal()}`);
    const signature = hmac(key, [ALGORITHM, time, scope.join('/'), sha256(canonical)].join('\n')).toString(
      'hex',
    );
    const credential = `Credential=${id}/${scope.join('/')}`;
    return {
      headers: {
        ...own,
        authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
      },
    };
  };
}

function signedFields(
  { headers, origin }: UnsignedRequest,
  own: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  const names = headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const signed = new Set(names.filter((name) => name === 'content-type' || name.startsWith('x-amz-')));
  const given = Object.fromEntries([...signed].map((name) => [name, headerIn(headers, name) ?? '']));
  return Object.entries({ ...given, host: new URL(origin).host, ...own }).sort(byCodeUnits);
}

/** All services but S3 sign the path without empty and dot segments, as it is sent and encoded once more. */
function plainPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const isFolder = segments.length > 0 && /\/\.{0,2}$/.test(path);
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}

function encodedPath(path: string): string {
  return path.split('/').map(encoded).join('/');
}

/** Servers read `+` as a space, as HTML forms do. */
function canonicalQuery(query: string): string {
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  const pairs = parameters.map((parameter): [string, string] => {
    const [name = '', value = ''] = parameter.replaceAll('+', ' ').split(/=(.*)/s);
    return [encoded(decoded(name)), encoded(decoded(value))];
  });
  return pairs
    .sort(byCodeUnits)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function byCodeUnits([a, x]: readonly [string, string], [b, y]: readonly [string, string]): number {
  if (a !== b) return a < b ? -1 : 1;
  return x < y ? -1 : Number(x > y);
}

/** All but the unreserved characters of RFC 3986, 2.3, is percent-encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
