import type { NavigationProperty } from '../../model/edm.ts';
import type { NavigationBinding } from './entity-input.ts';
import { describe, type InputObject } from './input-value.ts';
import { type Mistakes, pathTo } from './mistakes.ts';

/** What `Nav@odata.bind` says: links to entities (JSON Format 4.0, 8.5). */
export function readBinding(
  property: NavigationProperty,
  json: unknown,
  path: string,
  mistakes: Mistakes,
): readonly NavigationBinding[] {
  const urls = readUrls(property, json);
  if (urls === undefined) {
    mistakes.add(path, property.collection ? 'an array of URLs' : 'a URL', describe(json));
    return [];
  }
  const { collection } = property;
  const links = urls.map((url, index) => ({ url, target: collection ? pathTo(path, index) : path }));
  return [{ property, path, links }];
}

function readUrls({ collection }: NavigationProperty, json: unknown): readonly string[] | undefined {
  if (!collection) {
    if (json === null) return [];
    return typeof json === 'string' ? [json] : undefined;
  }
  return Array.isArray(json) && json.every((url) => typeof url === 'string') ? json : undefined;
}

/** Whether an object has an entity's id and no property: it stands for an entity that is there already (14). */
export function isReference(object: InputObject): boolean {
  const names = Object.keys(object);
  return readReference(object).length === 1 && names.every((name) => name.startsWith('@'));
}

/** The URL of the entity that the object stands for. */
export function readReference(object: InputObject): readonly string[] {
  const url = object['@odata.id'] ?? object['@id'];
  return typeof url === 'string' ? [url] : [];
}
