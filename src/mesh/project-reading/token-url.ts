/** What is wrong with the URL of a token endpoint (RFC 6749, 3.2), as the rest of a sentence. */
export function whyNotTokenUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an absolute http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  return url.hash === '' ? undefined : 'must not have a fragment';
}
