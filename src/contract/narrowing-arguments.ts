import { isObject } from '../core/json-object.ts';
import type { EntityType, StructuralProperty } from '../model/edm.ts';
import type { NarrowingParameter } from '../model/operation.ts';
import type { Arguments } from './entity-source.ts';
import type { Row, Value } from './row.ts';

/** The property that a narrowing parameter filters; undefined if the type lacks it. */
export function narrowedProperty(
  { path }: NarrowingParameter,
  type: EntityType,
): StructuralProperty | undefined {
  let properties = type.structuralProperties;
  for (const [index, name] of path.entries()) {
    const property = properties.get(name);
    if (property === undefined || index === path.length - 1) return property;
    if (property.type.kind !== 'complex') return undefined;
    properties = property.type.structuralProperties;
  }
  return undefined;
}

/** The arguments for a narrowing parameter: all values for an `in`, the first one for other operators. */
export function narrowingArguments(
  parameter: NarrowingParameter,
  type: EntityType,
  values: readonly Value[],
): Arguments {
  const { condition, member } = parameter;
  const { name } = parameter.parameter;
  const [first = null] = values.map((value) => inForm(parameter, value));
  if (condition.kind === 'in') {
    if (condition.separator === undefined) return { [name]: values };
    const property = narrowedProperty(parameter, type);
    return { [name]: values.map((value) => upstreamText(property, value)).join(condition.separator) };
  }
  return { [name]: member === undefined ? first : { [member]: first } };
}

/** The value as the parameter takes it: a time may be one without an offset, or a date. */
export function inForm({ form }: NarrowingParameter, value: Value): Value {
  if (form === undefined || typeof value !== 'string') return value;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return value;
  const text = time.toISOString();
  return form === 'date' ? text.replace(/T.*$/, '') : text.replace(/(?:\.000)?Z$/, '');
}

/**
 * Merges arguments; objects of one parameter, such as the bounds of `created[gte]` and `created[lt]`, are
 * merged deeply.
 */
export function withArguments(some: Arguments, others: Arguments): Arguments {
  const merged: Record<string, Value> = { ...some };
  for (const [name, value] of Object.entries(others)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? ({ ...before, ...value } as Row) : value;
  }
  return merged;
}

/** The upstream's text of a value: members of enumerations have their own. */
export function upstreamText(property: StructuralProperty | undefined, value: Value): string {
  const members = property?.type.kind === 'enumeration' ? property.type.members : undefined;
  return String(members?.find(({ name }) => name === value)?.upstreamValue ?? value);
}
