import type { GraphQLLeafType } from 'graphql';
import { concatenated } from '../../contract/concatenated.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row } from '../../contract/row.ts';
import type { Work } from '../../contract/work.ts';

/** A value of a row, and how it is shown. */
export interface PlainField {
  readonly responseName: string;
  readonly property: string;
  readonly type: GraphQLLeafType;
  readonly nullable: boolean;
}

/** Thrown where a value is none of its field's type: that is told by executing the document. */
export class Unplain extends Error {}

/** Rows that are written together. */
const PART = 512;

/** JSON of an answer with the rows, as executing their selection would give it. */
export function* writeRows(
  name: string,
  fields: readonly PlainField[],
  rows: readonly Row[],
  budget: RequestBudget,
): Work<Uint8Array> {
  if (rows.length <= PART) return answerWith(name, JSON.stringify(rows.map((row) => shown(fields, row))));
  const parts: Uint8Array[] = [];
  let charged = 0;
  try {
    for (let start = 0; start < rows.length; start += PART) {
      const items = JSON.stringify(rows.slice(start, start + PART).map((row) => shown(fields, row)));
      const before = start === 0 ? opening(name, '[') : ',';
      const part = Buffer.from(`${before}${items.slice(1, -1)}`);
      parts.push(part);
      charged += part.length;
      budget.chargeAnswer(part.length);
      yield;
    }
    const end = Buffer.from(']}}');
    return yield* concatenated([...parts, end], charged + end.length);
  } finally {
    budget.returnAnswer(charged);
  }
}

export function writeRow(name: string, fields: readonly PlainField[], row: Row): Uint8Array {
  return answerWith(name, JSON.stringify(shown(fields, row)));
}

function answerWith(name: string, text: string): Uint8Array {
  return Buffer.from(`${opening(name, text)}}}`);
}

function opening(name: string, text: string): string {
  return `{"data":{${JSON.stringify(name)}:${text}`;
}

/** The values under their response names, in the order of the selection (GraphQL, 6.3). */
function shown(fields: readonly PlainField[], row: Row): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) values[field.responseName] = valueFor(field, row);
  return values;
}

/** Types that show every text as it is. */
const ANY_TEXT: ReadonlySet<string> = new Set(['ID', 'String']);

function valueFor({ property, type, nullable }: PlainField, row: Row): unknown {
  const value = row[property] ?? null;
  if (value === null) {
    if (nullable) return null;
    throw new Unplain();
  }
  if (typeof value === 'string' && ANY_TEXT.has(type.name)) return value;
  const serialized = type.serialize(typeof value === 'bigint' ? String(value) : value);
  if (serialized === null || serialized === undefined) throw new Unplain();
  return serialized;
}
