/** TypeScript's library does not know them yet. */
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** What JSON.stringify writes as it stands: a number with all its digits. */
export function rawJson(text: string): object {
  return rawJSON(text);
}

/** The text that JSON.stringify would write of a scalar, without quotes; undefined for what is none. */
export function scalarText(value: unknown): string | undefined {
  if (isRawJSON(value)) return value.rawJSON;
  return typeof value === 'object' ? undefined : String(value);
}
