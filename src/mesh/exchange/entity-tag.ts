import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** RFC 9110, section 8.8.3. */
const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e]*"$/;

/** The entity tag of an answer; none where it has not the form of one. */
export function entityTag({ etag }: IncomingHttpHeaders): string | undefined {
  return etag !== undefined && ENTITY_TAG.test(etag) ? etag : undefined;
}

const DIGESTS = new WeakMap<Buffer, string>();

/** A weak entity tag for the bytes of an answer that has none: the same for the same bytes, wherever they are read. */
export function digestOf({ body }: { readonly body: Buffer }): string {
  const known = DIGESTS.get(body);
  if (known !== undefined) return known;
  const digest = `W/"${hash('sha1', body, 'base64url')}"`;
  DIGESTS.set(body, digest);
  return digest;
}
