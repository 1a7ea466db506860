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

type Source = { readonly source?: string };

/** A reviver for JSON.parse: numbers that would be written in another way keep their text. */
export function keepNumberText(this: unknown, _: string, value: unknown, { source }: Source = {}): unknown {
  const isChanged = typeof value === 'number' && source !== undefined && String(value) !== source;
  return isChanged ? rawJson(source) : value;
}
