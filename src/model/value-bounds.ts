/** What a schema allows of the values of a parameter, as far as the gateway chooses them (JSON Schema, Validation 6). */
export interface ValueBounds {
  readonly type?: 'integer' | 'number' | 'boolean' | undefined;
  /** The lowest and the highest number. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly multipleOf?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
  /** All values that there are, as they are sent. */
  readonly values?: readonly string[] | undefined;
}

/** Whether a text matches a pattern of the document's. */
type Matches = (pattern: string, text: string) => boolean;

/** Whether the document allows the value, as it is sent. A pattern that nobody can check allows none. */
export function allows(bounds: ValueBounds, text: string, matches: Matches = () => false): boolean {
  const { values, minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = bounds;
  if (values !== undefined && !values.includes(text)) return false;
  if (!isOfType(bounds, text)) return false;
  const length = [...text].length;
  return length >= minLength && length <= maxLength && (pattern === undefined || matches(pattern, text));
}

function isOfType({ type, ...range }: ValueBounds, text: string): boolean {
  if (type === undefined) return true;
  if (type === 'boolean') return text === 'true' || text === 'false';
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return (
    Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) && isWithin(range, number)
  );
}

function isWithin({ minimum, maximum, multipleOf }: Omit<ValueBounds, 'type'>, number: number): boolean {
  return (
    number >= (minimum ?? Number.NEGATIVE_INFINITY) &&
    number <= (maximum ?? Number.POSITIVE_INFINITY) &&
    (multipleOf === undefined || Number.isInteger(number / multipleOf))
  );
}

/** The number nearest to the wanted one that is allowed and not below it; else the highest one. Undefined where there is none. */
export function nearestAllowed(bounds: ValueBounds, wanted: number): number | undefined {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, multipleOf = 1, values } = bounds;
  const stepped = (number: number, round: (quotient: number) => number) =>
    round(number / multipleOf) * multipleOf;
  const listed = values
    ?.map(Number)
    .filter((value) => Number.isSafeInteger(value))
    .toSorted((a, b) => a - b);
  const candidates = listed ?? [
    Math.max(stepped(wanted, Math.ceil), stepped(minimum, Math.ceil)),
    stepped(maximum, Math.floor),
  ];
  const allowed = candidates.filter((candidate) => allows(bounds, String(candidate)));
  return allowed.find((candidate) => candidate >= wanted) ?? allowed.at(-1);
}
