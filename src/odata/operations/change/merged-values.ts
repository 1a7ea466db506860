import { type Row, TYPE, type Value } from '../../../contract/entity-source.ts';
import type { Model } from '../../../model/edm.ts';
import { isReadable } from '../../../model/readable-property.ts';
import type { StructuralProperty, StructuredType } from '../../../model/structured-type.ts';
import { Mistakes, pathTo } from '../../payload/body/mistakes.ts';
import { demandRequired } from '../../payload/body/object-demands.ts';
import { filledValue } from './omitted-values.ts';

/**
 * What is there with what a client changes of it. Of a complex value, too, the client gives a part; the items of a
 * collection are new, as a value is where there was none (Part 1, 11.4.3): it has to have what the model demands, or the
 * change is a BadRequest. `type` is that of the whole, where it is known.
 */
export function mergedValues(model: Model, type: StructuredType | undefined, present: Row, change: Row): Row {
  const mistakes = new Mistakes();
  const merged = merge({ model, mistakes }, type, present, change, '');
  mistakes.refuseAny();
  return merged;
}

interface Merging {
  readonly model: Model;
  readonly mistakes: Mistakes;
}

function merge(
  merging: Merging,
  type: StructuredType | undefined,
  present: Row,
  change: Row,
  path: string,
): Row {
  const members = Object.entries(change).map(([name, value]) => {
    const property = type?.structuralProperties.get(name);
    return [name, mergeMember(merging, property, present[name], value, pathTo(path, name))] as const;
  });
  return { ...present, ...Object.fromEntries(members) };
}

function mergeMember(
  merging: Merging,
  property: StructuralProperty | undefined,
  before: Value | undefined,
  value: Value,
  path: string,
): Value {
  const { model } = merging;
  if (isRow(value) && isRow(before))
    return merge(merging, complexType(model, property, value), before, value, path);
  if (property === undefined) return value;
  // Of what nobody can read, nobody knows that there is none.
  if (isReadable(property)) demandWhole(merging, property, value, path);
  return filledValue(model, property, value);
}

/** What comes in the place of null is all there is, at any depth. */
function demandWhole(merging: Merging, property: StructuralProperty, value: Value, path: string): void {
  const { model, mistakes } = merging;
  const type = isRow(value) ? complexType(model, property, value) : undefined;
  if (!isRow(value) || type === undefined) return;
  const told = new Set(Object.keys(value));
  demandRequired({ model, kind: 'insert', mistakes }, type, {}, path, told, new Set());
  for (const [name, member] of Object.entries(value)) {
    const declared = type.structuralProperties.get(name);
    if (declared !== undefined) demandWhole(merging, declared, member, pathTo(path, name));
  }
}

function complexType(model: Model, property: StructuralProperty | undefined, value: Row) {
  return model.complexTypes.get(value[TYPE] ?? property?.type.name ?? '');
}

export function isRow(value: Value | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
