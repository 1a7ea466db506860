import type { NavigationProperty } from '../../../model/structured-type.ts';
import { type BodyObject, describe } from './body-json.ts';
import type { ReadBinding } from './body-reading.ts';
import { type BodyType, qualifiedName } from './body-types.ts';
import type { Mistakes } from './mistakes.ts';

/**
 * What the member of a name with an at sign says: `Nav@odata.bind` links to entities (JSON Format 4.0, 8.5). All
 * other control information and annotations are left aside.
 */
export function readBinding(
  type: BodyType,
  name: string,
  json: unknown,
  path: string,
  mistakes: Mistakes,
): readonly ReadBinding[] {
  const at = name.indexOf('@');
  const term = name.slice(at + 1);
  if (at <= 0 || (term !== 'bind' && term !== 'odata.bind')) return [];
  const property = type.navigationProperties.get(name.slice(0, at));
  if (property === undefined) {
    mistakes.add(path, `a navigation property of ${qualifiedName(type)}`, 'another name');
    return [];
  }
  const urls = readUrls(property, json);
  if (urls === undefined)
    mistakes.add(path, property.collection ? 'an array of URLs' : 'a URL', describe(json));
  return urls === undefined ? [] : [{ property, path, urls }];
}

function readUrls({ collection }: NavigationProperty, json: unknown): readonly string[] | undefined {
  if (!collection) {
    if (json === null) return [];
    return typeof json === 'string' ? [json] : undefined;
  }
  return Array.isArray(json) && json.every((url) => typeof url === 'string') ? json : undefined;
}

/** Whether an object has an entity's id and no property: it stands for an entity that is there already (14). */
export function isReference(object: BodyObject): boolean {
  const names = Object.keys(object);
  return readReference(object).length === 1 && names.every((name) => name.startsWith('@'));
}

/** The URL of the entity that the object stands for. */
export function readReference(object: BodyObject): readonly string[] {
  const url = object['@odata.id'] ?? object['@id'];
  return typeof url === 'string' ? [url] : [];
}
