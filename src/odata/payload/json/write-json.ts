import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Value } from '../../../contract/row.ts';
import type { Work } from '../../../contract/work.ts';
import { JsonItems } from './json-items.ts';
import { Pieces } from './pieces.ts';

/** JSON as it is sent: what is long is in bytes already. */
export type JsonText = string | Uint8Array;

/** A JSON object; members that are undefined are left out. */
export type JsonMembers = Readonly<Record<string, Value | JsonItems | object | undefined>>;

/**
 * What JSON.stringify makes of an object. Long lists in it are written part by part, so that others can go first, and
 * it is given up as soon as it is longer than an answer may be.
 */
export function* writeJson(members: JsonMembers, budget: RequestBudget): Work<JsonText> {
  const pieces = new Pieces(budget);
  try {
    if (!holdsLong(members)) return pieces.only(JSON.stringify(members));
    yield* writeMembers(members, pieces);
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
}

function* writeMembers(members: JsonMembers, pieces: Pieces): Work<void> {
  let separator = '{';
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    pieces.add(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    if (isLong(value)) yield* writeItems(value, pieces);
    else pieces.add(JSON.stringify(value));
  }
  pieces.add('}');
}

function* writeItems(list: JsonItems, pieces: Pieces): Work<void> {
  let separator = '[';
  for (const items of list.parts()) {
    if (list.isDeep && items.some(holdsLong)) {
      for (const item of items) {
        pieces.add(separator);
        separator = ',';
        yield* writeMembers(item as JsonMembers, pieces);
      }
    } else {
      const bytes = pieces.addItems(JSON.stringify(items), separator);
      if (separator === '[') pieces.expect((bytes / items.length) * list.length);
      separator = ',';
    }
    yield;
  }
  pieces.add(']');
}

function isLong(value: unknown): value is JsonItems {
  return value instanceof JsonItems && value.isLong;
}

function holdsLong(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).some(isLong);
}
