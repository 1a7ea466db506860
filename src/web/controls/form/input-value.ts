/** What a text in an input stands for. */
export type InputValue =
  /** Left empty: the property is not sent. */
  | { readonly kind: 'none' }
  /** As JSON text, so that no digit of a long number is lost. */
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'problem'; readonly message: string };

/** The value as text again: without the quotes of a JSON string. */
export function writeInput({ json }: { readonly json: string }): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

export function value(of: string): InputValue {
  return { kind: 'value', json: JSON.stringify(of) };
}

export function problem(message: string): InputValue {
  return { kind: 'problem', message };
}

export function readJson(text: string, accepts: (parsed: unknown) => boolean, expected: string): InputValue {
  try {
    if (accepts(JSON.parse(text))) return { kind: 'value', json: text.trim() };
  } catch {
    // Told below.
  }
  return problem(`Expected ${expected}.`);
}
