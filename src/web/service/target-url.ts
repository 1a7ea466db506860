/**
 * Puts parameters into a Target URL such as `/Post('<postId>')`: each is percent-encoded, and its quotes are
 * doubled as in a string literal. Undefined where one is missing.
 */
export function fillTargetUrl(targetUrl: string, parameters: URLSearchParams): string | undefined {
  const names = [...targetUrl.matchAll(PLACE)].map(([, name = '']) => name);
  if (names.some((name) => (parameters.get(name) ?? '') === '')) return undefined;
  return targetUrl.replace(PLACE, (_, name: string) =>
    encodeURIComponent((parameters.get(name) ?? '').replaceAll("'", "''")),
  );
}

const PLACE = /<(\w+)>/g;

/** The entity set that a Data Path or Target URL such as `/Post('<postId>')` begins with. */
export function entitySetName(path: string): string {
  return /^\/([^/(?]+)/.exec(path)?.[1] ?? '';
}
