import { resolve } from 'node:path';
import type { Reader } from './project-reader.ts';

const PLACEHOLDER = /\{([^}]*)\}/g;

/** `{env.NAME}` and `{env.NAME:default}`, as Mesh knows them. */
const ENVIRONMENT_NAME = /^env\.(\w+)(?::(.*))?$/s;

/** `{file:/run/secrets/name}`, which Mesh does not know; a path is relative to the project's directory. */
const FILE_NAME = /^file:(.+)$/s;

/** A text with the environment filled in. */
export function readText(value: unknown, place: string, reader: Reader): string {
  return fill(value, place, reader, (whole) => {
    reader.mistakes.push(
      `"${place}" has ${whole}; only {env.NAME} is filled in: nothing of a client is passed on`,
    );
    return '';
  });
}

/** A text with the environment and whole files filled in. Of a file, line breaks at its end do not count. */
export function readSecretText(value: unknown, place: string, reader: Reader): string {
  return fill(value, place, reader, (whole, inner) => {
    const [, file] = FILE_NAME.exec(inner) ?? [];
    if (file !== undefined) return readSecretFile(file, place, reader);
    const known = 'only {env.NAME} and {file:PATH} are filled in: nothing of a client is passed on';
    reader.mistakes.push(`"${place}" has ${whole}; ${known}`);
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

function fill(
  value: unknown,
  place: string,
  { environment, mistakes }: Reader,
  fillOther: (whole: string, inner: string) => string,
): string {
  if (typeof value !== 'string') {
    mistakes.push(`"${place}" must be a text`);
    return '';
  }
  return value.replace(PLACEHOLDER, (whole, inner: string) => {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    return name === undefined ? fillOther(whole, inner) : (environment[name] ?? fallback ?? '');
  });
}

const LONGEST_SECRET = 64 * 1024;

/** The file is one of the project's: what it holds later is read again. */
function readSecretFile(path: string, place: string, { directory, files, mistakes }: Reader): string {
  const file = resolve(directory, path);
  const refuse = (reason: string): string => {
    mistakes.push(`"${place}" needs the file ${file}: ${reason}`);
    return '';
  };
  try {
    const text = files.readText(file).replace(/[\r\n]+$/, '');
    if (text === '') return refuse('it is empty');
    return text.length > LONGEST_SECRET ? refuse(`it is longer than ${LONGEST_SECRET} characters`) : text;
  } catch (error) {
    return refuse((error as Error).message);
  }
}
