/** The preferences of a Prefer header field (RFC 7240; Part 1, 8.2.8): names in lower case, values as written. */
export function parsePreferences(prefer: string | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [name = '', value = ''] = preference.split('=');
    const key = name.trim().toLowerCase();
    // The first of several counts (RFC 7240, 2).
    if (key !== '' && !preferences.has(key)) preferences.set(key, value.trim().replaceAll('"', ''));
  }
  return preferences;
}
