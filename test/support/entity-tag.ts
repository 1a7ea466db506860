/**
 * The form of an entity tag computed from the bytes of an entity without one. The part after `~` identifies
 * the representation.
 */
export const DIGEST = /^W\/"[\w-]{27}(~[\w-]{8})?"$/;

const FORM = /~[\w-]{8}"$/;

/** An entity tag without the form that is shown. */
function withoutForm(tag: string): string {
  return tag.replace(FORM, '"');
}

/** The JSON of one entity without its tag, where that is such a digest and the same as in the header. */
export function withoutDigest(text: string, { headers }: { readonly headers: Headers }): string {
  const tag = headers.get('etag') ?? '';
  if (!DIGEST.test(tag)) return text;
  const ofEntity = JSON.stringify(withoutForm(tag));
  return text.replace(`,"@odata.etag":${ofEntity}`, '').replace(`,"@etag":${ofEntity}`, '');
}
