import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { StructuralProperty, StructuredType } from '../../model/edm.ts';
import { typeNamed } from '../../model/edm.ts';
import type { SentType } from '../../model/operation.ts';
import { isReadable } from '../../model/readable-property.ts';
import { sentAs, sentWithin } from '../../model/sent-type.ts';
import { Mistakes, pathTo } from '../input/mistakes.ts';
import { demandRequired } from '../input/object-demands.ts';
import { filledValue } from './omitted-values.ts';

/** What is changed: of what type it is, as far as that is known, and what the operation takes in its place. */
interface Changed {
  readonly type: StructuredType | undefined;
  readonly sent: SentType | undefined;
}

/**
 * What is there with what a client changes of it. Of a complex value, too, the client gives a part; the items of a
 * collection are new, as a value is where there was none (Part 1, 11.4.3): it has to have what the operation demands,
 * or the change is a BadRequest.
 */
export function mergedValues(changed: Changed, present: Row, change: Row): Row {
  const mistakes = new Mistakes();
  const merged = merge({ mistakes }, changed, present, change, '');
  mistakes.refuseAny();
  return merged;
}

interface Merging {
  readonly mistakes: Mistakes;
}

function merge(merging: Merging, { type, sent }: Changed, present: Row, change: Row, path: string): Row {
  const own = type && sentAs(sent, type);
  const members = Object.entries(change).map(([name, value]) => {
    const property = type?.structuralProperties.get(name);
    const within = property && sentWithin(own, property);
    const before = present[name];
    return [name, mergeMember(merging, { property, within }, before, value, pathTo(path, name))] as const;
  });
  return { ...present, ...Object.fromEntries(members) };
}

interface ChangedMember {
  readonly property: StructuralProperty | undefined;
  /** What the operation takes within its values. */
  readonly within: SentType | undefined;
}

function mergeMember(
  merging: Merging,
  { property, within }: ChangedMember,
  before: Value | undefined,
  value: Value,
  path: string,
): Value {
  if (isMerged(property, value) && isRow(before)) {
    return merge(merging, { type: complexType(property, value), sent: within }, before, value, path);
  }
  if (property === undefined) return value;
  // Of what nobody can read, nobody knows that there is none.
  if (isReadable(property)) demandWhole(merging, { property, within }, value, path);
  return filledValue(property, within, value);
}

/** What comes in the place of null is all there is, at any depth. */
function demandWhole(
  merging: Merging,
  { property, within }: ChangedMember,
  value: Value,
  path: string,
): void {
  const { mistakes } = merging;
  const type = isRow(value) ? complexType(property, value) : undefined;
  if (!isRow(value) || type === undefined) return;
  const told = new Set(Object.keys(value));
  const sent = sentAs(within, type);
  demandRequired({ kind: 'insert', mistakes, sent }, type, {}, path, told, new Set());
  for (const [name, member] of Object.entries(value)) {
    const declared = type.structuralProperties.get(name);
    if (declared === undefined) continue;
    const inner = { property: declared, within: sentWithin(sent, declared) };
    demandWhole(merging, inner, member, pathTo(path, name));
  }
}

function complexType(property: StructuralProperty | undefined, { [TYPE]: name }: Row) {
  if (property?.type.kind !== 'complex') return undefined;
  return name === undefined ? property.type : typeNamed(property.type, name);
}

/** Whether a change gives parts of the value: of an object that no type describes, it is all that is to be there. */
export function isMerged(property: StructuralProperty | undefined, value: Value | undefined): value is Row {
  return isRow(value) && property?.type.kind !== 'primitive';
}

function isRow(value: Value | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
