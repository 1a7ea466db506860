import type { Row, Value } from '../../contract/entity-source.ts';
import type { ValueWriter } from './number-writer.ts';

/** How one property of a structured value is written. */
export interface MemberWriter {
  readonly name: string;
  /** Undefined where values are JSON-ready. */
  readonly write: ValueWriter | undefined;
  /** Control information before the value: its name, and what it says of a value if anything. */
  readonly type: TypeAnnotation | undefined;
  readonly isOmitted: ((value: Value) => boolean) | undefined;
}

export interface TypeAnnotation {
  readonly name: string;
  readonly of: (value: Value) => string | undefined;
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
  for (const { name, write, type, isOmitted } of members) {
    const value = row[name] ?? null;
    if (isOmitted?.(value) === true) continue;
    if (type !== undefined && value !== null) annotate(target, type, value);
    target[name] = write === undefined || value === null ? value : write(value);
  }
}

function annotate(target: JsonObject, type: TypeAnnotation, value: Value): void {
  const reference = type.of(value);
  if (reference !== undefined) target[type.name] = reference;
}
