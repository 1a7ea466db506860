import type { Row, Value } from '../../../contract/entity-source.ts';
import type { ValueWriter } from './number-writer.ts';

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
  readonly of: (value: Value) => string | undefined;
}

export interface CountAnnotation {
  readonly name: string;
  readonly member: string;
  readonly write: ValueWriter;
}

export type JsonObject = Record<string, Value>;

/** Whether a value needs nothing but changes within: no members more, none less. */
export function isPlain({ type, isOmitted }: MemberWriter): boolean {
  return type === undefined && isOmitted === undefined;
}

/** A value that needs no change is not copied. */
export function rewrite(row: Row, members: readonly MemberWriter[]): Row {
  let copy: JsonObject | undefined;
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

/** Writes the members in their order; what the row does not have is null. */
export function writeMembers(target: JsonObject, row: Row, members: readonly MemberWriter[]): void {
  for (const member of members) writeMember(target, row, member, row[member.name] ?? null);
}

/** Writes those members that the value has: of a complex value, a part may be shown. */
export function writePresentMembers(target: JsonObject, row: Row, members: readonly MemberWriter[]): void {
  for (const member of members) {
    const value = row[member.name];
    if (value !== undefined) writeMember(target, row, member, value);
  }
}

function writeMember(
  target: JsonObject,
  row: Row,
  { name, write, type, count, isOmitted }: MemberWriter,
  value: Value,
): void {
  if (isOmitted?.(value) === true) return;
  if (type !== undefined && value !== null) annotate(target, type, value);
  if (count !== undefined) writeCount(target, row, count);
  target[name] = write === undefined || value === null ? value : write(value);
}

function annotate(target: JsonObject, type: TypeAnnotation, value: Value): void {
  const reference = type.of(value);
  if (reference !== undefined) target[type.name] = reference;
}

function writeCount(target: JsonObject, row: Row, { name, member, write }: CountAnnotation): void {
  const count = row[member];
  if (count !== undefined) target[name] = write(count);
}
