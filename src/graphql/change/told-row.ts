import { type Row, TYPE, type Value } from '../../contract/entity-source.ts';

interface JsonContext {
  readonly source?: string;
}

/** What an answer in OData's JSON says, as the entity source would: numbers exact, types where they are derived ones. */
export function toldValue(text: string): Value {
  return toldOf(JSON.parse(text, exactNumber));
}

function exactNumber(this: unknown, _: string, value: unknown, { source }: JsonContext = {}): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? BigInt(source)
    : source;
}

function toldOf(value: Value): Value {
  if (Array.isArray(value)) return value.map(toldOf);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !name.includes('@'));
  const type = (value as Row)['@type'] ?? (value as Row)['@odata.type'];
  const row: Row = Object.fromEntries(entries.map(([name, each]) => [name, toldOf(each)]));
  if (typeof type !== 'string') return row;
  return { ...row, [TYPE]: type.replace(/^.*[.#]/, '') };
}
