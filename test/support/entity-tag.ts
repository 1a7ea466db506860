/** What an entity is known by that has no entity tag of the upstream's, and no property for it: it stands for its bytes. */
export const DIGEST = /^W\/"[\w-]{27}"$/;

/** The JSON of one entity without its tag, where that is such a digest and the same as in the header. */
export function withoutDigest(text: string, { headers }: { readonly headers: Headers }): string {
  const tag = headers.get('etag') ?? '';
  if (!DIGEST.test(tag)) return text;
  const [in40, in401] = ['@odata.etag', '@etag'].map((name) => `,"${name}":${JSON.stringify(tag)}`);
  return text.replace(in40 ?? '', '').replace(in401 ?? '', '');
}
