/** A number of the client's that a double does not hold exactly, with its digits. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a client says of an entity or a complex value, by the names of the model. */
export type InputObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is InputObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** What a message says of a value: its kind in JSON, and nothing of what it holds. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'a number';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
