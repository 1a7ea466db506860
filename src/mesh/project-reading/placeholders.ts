import type { Reader } from './project-reader.ts';

/** `{env.NAME}` and `{env.NAME:default}`, as Mesh knows them. */
const PLACEHOLDER = /\{([^}]*)\}/g;
const ENVIRONMENT_NAME = /^env\.(\w+)(?::(.*))?$/s;

/** A text with the environment filled in. */
export function readText(value: unknown, place: string, { environment, mistakes }: Reader): string {
  if (typeof value !== 'string') {
    mistakes.push(`"${place}" must be a text`);
    return '';
  }
  return value.replace(PLACEHOLDER, (whole, inner: string) => {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    if (name !== undefined) return environment[name] ?? fallback ?? '';
    mistakes.push(`"${place}" has ${whole}; only {env.NAME} is filled in: nothing of a client is passed on`);
    return '';
  });
}

/** What goes to an upstream is not sent without its credential; an empty variable counts as unset. */
export function refuseUnsetVariables(value: unknown, place: string, { environment, mistakes }: Reader): void {
  for (const [, inner = ''] of String(value).matchAll(PLACEHOLDER)) {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    if (name === undefined || fallback !== undefined || environment[name]) continue;
    mistakes.push(`"${place}" needs the variable ${name}, or {env.${name}:} where it may be missing`);
  }
}
