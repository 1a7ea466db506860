import { type StructuredType, typeNamed } from './metadata.ts';

/** An entity as the service writes it: values by property, and control information with an `@` in its name. */
export type Entity = Readonly<Record<string, unknown>>;

export function isEntity(value: unknown): value is Entity {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type that the entity says it is of, where it is not the declared one (JSON Format 4.01, 4.5.3). */
export function typeOfEntity(entity: Entity, declared: StructuredType): StructuredType {
  const name = String(entity['@odata.type'] ?? '').replace('#', '');
  return typeNamed(declared, name) ?? declared;
}

/** What an entity has at a path, such as `Metadata/Name`. */
export function valueAt(entity: Entity, path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>((value, name) => (isEntity(value) ? value[name] : undefined), entity);
}

/** Fills a template such as `{Title}` or `{Metadata/Name}` with an entity's values; nothing stands for null. */
export function fillTemplate(template: string, entity: Entity): string {
  return template.replace(PLACE, (_, path: string) => writeValue(valueAt(entity, path))).trim();
}

const PLACE = /\{(\w+(?:\/\w+)*)\}/g;

/** The paths of the properties that a template names. */
export function templateProperties(template: string): readonly string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name);
}

/** A value as text for people. */
export function writeValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Puts parameters into a Target URL such as `/Post('<postId>')`: each is percent-encoded, and its quotes are
 * doubled as in a string literal. Undefined where one is missing.
 */
export function fillTargetUrl(targetUrl: string, parameters: URLSearchParams): string | undefined {
  const names = [...targetUrl.matchAll(PARAMETER)].map(([, name = '']) => name);
  if (names.some((name) => (parameters.get(name) ?? '') === '')) return undefined;
  return targetUrl.replace(PARAMETER, (_, name: string) =>
    encodeURIComponent((parameters.get(name) ?? '').replaceAll("'", "''")),
  );
}

const PARAMETER = /<(\w+)>/g;

/** The entity set that a Data Path or Target URL such as `/Post('<postId>')` begins with. */
export function entitySetName(path: string): string {
  return /^\/([^/(?]+)/.exec(path)?.[1] ?? '';
}
