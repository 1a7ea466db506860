/** What is wrong with the URL of an API, as the rest of a sentence; undefined where it can be called. */
export function validateServiceUrl(text: string): string | undefined {
  // Parsers drop them within a URL, too (URL Standard, 4.4).
  if (/[\t\r\n]/.test(text.trim())) return 'must not have tabs or line breaks';
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an absolute http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'must not hold credentials: use operationHeaders or queryParams';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  // Mesh would take braces for a place to fill in.
  if (/[{}]|%7[bd]/i.test(url.href)) return 'must not have braces';
  return undefined;
}

/** The URL without a slash at its end, so that paths can be put behind it. */
export function plainServiceUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '');
}
