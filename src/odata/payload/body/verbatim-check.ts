import { describe, ExactNumber, type InputObject, isObject } from '../../../engine/input/input-value.ts';
import { type Mistakes, pathTo } from '../../../engine/input/mistakes.ts';
import { readPrimitive } from '../../../engine/input/primitive-input.ts';
import type { StructuralProperty, StructuredType } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { JsonType } from '../../../model/type-use.ts';

/**
 * Checks a body that the upstream gets as it is: names may be the upstream's in any case or the model's, others
 * are the upstream's affair, and a value is wrong where it fits neither the model's type nor the upstream's.
 */
export function checkVerbatim(
  model: Model,
  type: StructuredType,
  object: InputObject,
  path: string,
  mistakes: Mistakes,
): void {
  const properties = propertiesByFoldedName(type);
  for (const [name, json] of Object.entries(object)) {
    const property = properties.get(name.toLowerCase());
    if (property === undefined || json === null) continue;
    const place = pathTo(path, name);
    if (!property.collection) checkValue(model, property, json, place, mistakes);
    else if (Array.isArray(json)) checkItems(model, property, json, place, mistakes);
    else mistakes.add(place, 'an array', describe(json));
  }
}

function propertiesByFoldedName({
  structuralProperties,
}: StructuredType): ReadonlyMap<string, StructuralProperty> {
  const properties = [...structuralProperties.values()];
  const named = (nameOf: (property: StructuralProperty) => string) =>
    properties.map((property) => [nameOf(property).toLowerCase(), property] as const);
  return new Map([...named(({ upstreamName }) => upstreamName), ...named(({ name }) => name)]);
}

function checkItems(
  model: Model,
  property: StructuralProperty,
  items: readonly unknown[],
  path: string,
  mistakes: Mistakes,
): void {
  for (const [index, item] of items.entries()) {
    if (item !== null) checkValue(model, property, item, pathTo(path, index), mistakes);
  }
}

function checkValue(
  model: Model,
  property: StructuralProperty,
  json: unknown,
  path: string,
  mistakes: Mistakes,
): void {
  const { type } = property;
  switch (type.kind) {
    case 'primitive':
      if (!fits(property, json)) mistakes.add(path, type.name, describe(json));
      return;
    case 'enumeration':
      if (isObject(json) || Array.isArray(json) || typeof json === 'boolean') {
        mistakes.add(path, `a member of ${type.name}`, describe(json));
      }
      return;
    case 'complex':
      if (isObject(json)) checkVerbatim(model, type, json, path, mistakes);
      else mistakes.add(path, 'an object', describe(json));
      return;
    case 'entity':
  }
}

function fits({ type, upstreamTypes }: StructuralProperty, json: unknown): boolean {
  if (type.kind !== 'primitive' || type.name === 'Edm.Stream') return true;
  if (readPrimitive(type.name, json) !== undefined) return true;
  const found = jsonTypes(json);
  // Where the document does not say what the upstream has, text may be a number there.
  const possible = upstreamTypes.length > 0 ? upstreamTypes : (['string', 'number'] satisfies JsonType[]);
  const isText = type.name === 'Edm.String' || upstreamTypes.length > 0;
  return isText && possible.some((name) => found.includes(name));
}

function jsonTypes(json: unknown): readonly JsonType[] {
  if (json instanceof ExactNumber) return /^-?\d+$/.test(json.text) ? ['integer', 'number'] : ['number'];
  if (typeof json === 'number') return Number.isInteger(json) ? ['integer', 'number'] : ['number'];
  if (Array.isArray(json)) return ['array'];
  if (typeof json === 'boolean') return ['boolean'];
  return [typeof json === 'string' ? 'string' : 'object'];
}
