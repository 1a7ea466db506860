/** The mistake in an API's URL, as the rest of a sentence; undefined if the URL is valid. */
export function validateServiceUrl(text: string): string | undefined {
  // Parsers remove these characters within a URL, too (URL Standard, 4.4).
  if (/[\t\r\n]/.test(text.trim())) return 'must not have tabs or line breaks';
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an absolute http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'must not hold credentials: use operationHeaders or queryParams';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  // Mesh would take braces for placeholders.
  if (/[{}]|%7[bd]/i.test(url.href)) return 'must not have braces';
  return undefined;
}

/** The URL without a trailing slash, so that paths can be appended. */
export function plainServiceUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '');
}
