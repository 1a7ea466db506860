import type { IncomingHttpHeaders } from 'node:http';

/** RFC 9110, section 8.8.3. */
const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e]*"$/;

/** The entity tag of an answer; none where it has not the form of one. */
export function entityTag({ etag }: IncomingHttpHeaders): string | undefined {
  return etag !== undefined && ENTITY_TAG.test(etag) ? etag : undefined;
}
