import type { ValueWriter } from '../../../contract/exact-number.ts';
import type { Row, Value } from '../../../contract/row.ts';
import type { JsonItems } from './json-items.ts';

/** How one property of a structured value is written. */
export interface MemberWriter {
  readonly name: string;
  /** Undefined where values are JSON-ready. */
  readonly write: ValueWriter | undefined;
  /** Control information before the value: its name, and what it says of a value if anything. */
  readonly type: TypeAnnotation | undefined;
  /** The control information `count` of a collection of which a part is shown; the row has it under `name@count`. */
  readonly count: CountAnnotation | undefined;
  readonly isOmitted: ((value: Value) => boolean) | undefined;
}

export interface TypeAnnotation {
  readonly name: string;
  readonly reference: string;
  /** Undefined where it is said of every value; null has no type. */
  readonly isSaid: ((value: Value) => boolean) | undefined;
}

export interface CountAnnotation {
  readonly name: string;
  readonly member: string;
  readonly write: ValueWriter;
}

/** JSON.stringify leaves out what is undefined. */
export type JsonObject = Record<string, Value | JsonItems<Row> | undefined>;

/** Whether a value needs nothing but changes within: no members more, none less. */
export function isPlain({ type, isOmitted }: MemberWriter): boolean {
  return type === undefined && isOmitted === undefined;
}

/**
 * What objects begin as: all members that there may be, in their order, with what is the same in most. To
 * copy that and to set the rest is cheaper than to add one member after the other.
 *
 * V8 makes a slow dictionary of an object to which many members are added by name, but not of what JSON.parse
 * returns.
 */
export function templateOf(members: Readonly<JsonObject>): Readonly<JsonObject> {
  const text = JSON.stringify(members, (_, value: unknown) => value ?? null);
  return Object.assign(JSON.parse(text), members);
}

/** What the members' part of a template holds. */
export function memberTemplate(members: readonly MemberWriter[]): Readonly<JsonObject> {
  const template: JsonObject = {};
  for (const { name, type, count } of members) {
    if (type !== undefined) template[type.name] = type.reference;
    if (count !== undefined) template[count.name] = undefined;
    template[name] = undefined;
  }
  return template;
}

/** A value that needs no change is not copied. */
export function rewrite(row: Row, members: readonly MemberWriter[]): Row {
  let copy: Record<string, Value> | undefined;
  for (const { name, write } of members) {
    const value = row[name];
    if (write === undefined || value === null || value === undefined) continue;
    const written = write(value);
    if (written === value) continue;
    copy ??= { ...row };
    copy[name] = written;
  }
  return copy ?? row;
}

/** Sets one member in a copy of its template; an undefined value is left out. */
export function writeMember(
  target: JsonObject,
  row: Row,
  { name, write, type, count, isOmitted }: MemberWriter,
  value: Value | undefined,
): void {
  const isLeftOut = value === undefined || isOmitted?.(value) === true;
  if (type !== undefined && (isLeftOut || value === null || type.isSaid?.(value) === false))
    target[type.name] = undefined;
  if (isLeftOut) return;
  if (count !== undefined) writeCount(target, row, count);
  target[name] = write === undefined || value === null ? value : write(value);
}

function writeCount(target: JsonObject, row: Row, { name, member, write }: CountAnnotation): void {
  const count = row[member];
  if (count !== undefined) target[name] = write(count);
}
