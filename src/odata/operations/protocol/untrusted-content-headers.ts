/** Whatever somebody has uploaded, a browser runs nothing of it in the name of this service. */
export const UNTRUSTED_CONTENT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** RFC 9110, 8.3.1. */
const MEDIA_TYPE = /^[!#$&^.+\w-]+\/[!#$&^.+\w-]+(?:\s*;[\x20-\x7e]*)?$/;

/** Undefined for a text that is no media type. */
export function mediaTypeOf(text: string | undefined): string | undefined {
  return text !== undefined && MEDIA_TYPE.test(text) ? text : undefined;
}
