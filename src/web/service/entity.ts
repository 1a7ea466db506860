import { type StructuredType, typeNamed } from './metadata.ts';

/** An entity of the service: values by property, and control information with an `@` in its name. */
export type Entity = Readonly<Record<string, unknown>>;

export function isEntity(value: unknown): value is Entity {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type in the entity's control information, else the declared one (JSON Format 4.01, 4.5.3). */
export function typeOfEntity(entity: Entity, declared: StructuredType): StructuredType {
  const name = String(entity['@odata.type'] ?? '').replace('#', '');
  return typeNamed(declared, name) ?? declared;
}

/** The value at a path, such as `Metadata/Name`. */
export function valueAt(entity: Entity, path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>((value, name) => (isEntity(value) ? value[name] : undefined), entity);
}

/** Fills a template such as `{Title}` or `{Metadata/Name}`; null is empty. */
export function fillTemplate(template: string, entity: Entity): string {
  return template.replace(PLACE, (_, path: string) => writeValue(valueAt(entity, path))).trim();
}

const PLACE = /\{(\w+(?:\/\w+)*)\}/g;

/** The paths of the properties in a template. */
export function templateProperties(template: string): readonly string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name);
}

/** The display text of a value. */
export function writeValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Fills parameters into a target URL such as `/Post('<postId>')`, percent-encoded and with doubled quotes.
 * Undefined if one is missing.
 */
export function fillTargetUrl(targetUrl: string, parameters: URLSearchParams): string | undefined {
  const names = [...targetUrl.matchAll(PARAMETER)].map(([, name = '']) => name);
  if (names.some((name) => (parameters.get(name) ?? '') === '')) return undefined;
  return targetUrl.replace(PARAMETER, (_, name: string) =>
    encodeURIComponent((parameters.get(name) ?? '').replaceAll("'", "''")),
  );
}

const PARAMETER = /<(\w+)>/g;

/** The entity set of a data path or target URL such as `/Post('<postId>')`. */
export function entitySetName(path: string): string {
  return /^\/([^/(?]+)/.exec(path)?.[1] ?? '';
}
