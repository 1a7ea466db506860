import { shorten } from '../core/shorten.ts';
import { SETTINGS, type SettingName, type SettingOf } from './settings.ts';

/** The variables as they were given, and where to say what is wrong with them. */
export interface Variables {
  /** The value, or undefined where the variable is missing or empty: compose files pass on what is unset as ''. */
  readonly get: (name: SettingName | 'http_proxy' | 'https_proxy' | 'no_proxy') => string | undefined;
  /** Notes a mistake and goes on, so that all of them are reported together. */
  readonly reject: (mistake: string) => void;
}

/** The number, or the default of the table of settings. */
export function readNumber(
  variables: Variables,
  name: SettingOf<{ readonly kind: 'number'; readonly fallback: number }>,
): number {
  return numberOf(variables, name) ?? SETTINGS[name].fallback;
}

/** The number; undefined where the variable is missing. */
export function numberOf(
  variables: Variables,
  name: SettingOf<{ readonly kind: 'number' }>,
): number | undefined {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const { least, most } = SETTINGS[name];
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  variables.reject(`${name} must be a whole number from ${least} to ${most}, but is ${quote(text)}`);
  return undefined;
}

type ChoiceName = SettingOf<{ readonly kind: 'choice' }>;

/** One of the choices, or the default of the table of settings. */
export function readChoice<Name extends ChoiceName>(
  variables: Variables,
  name: Name,
): (typeof SETTINGS)[Name]['choices'][number] {
  const { choices, fallback } = SETTINGS[name];
  const text = variables.get(name);
  if (text === undefined) return fallback;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) {
    variables.reject(`${name} must be one of ${choices.join(', ')}, but is ${quote(text)}`);
  }
  return choice ?? fallback;
}

/** The text, or the default of the table of settings. */
export function readText(
  variables: Variables,
  name: SettingOf<{ readonly kind: 'text'; readonly fallback: string }>,
): string {
  return variables.get(name) ?? SETTINGS[name].fallback;
}

/**
 * The URL without a slash at its end, so that paths can be put behind it.
 *
 * A credential in it would end up in logs and links, a query or a fragment in the middle of the URLs that
 * are made from it. The message repeats none of it, because it may hold a password.
 */
export function readHttpUrl(variables: Variables, name: 'BASE_URL' | 'UPSTREAM_URL'): string | undefined {
  const text = variables.get(name);
  if (text === undefined) return undefined;
  const mistake = mistakeInHttpUrl(text);
  if (mistake === undefined) return new URL(text).href.replace(/\/+$/, '');
  variables.reject(`${name} ${mistake}`);
  return undefined;
}

function mistakeInHttpUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text)) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return /[?#]/.test(text) ? 'must not have a query or a fragment' : undefined;
}

/** A value that travels as a header: anything but printable latin-1 would be cut off, or start another header. */
export function readHeaderValue(variables: Variables, name: 'APPLICATION_NAME' | 'GATEWAY_API_NAME'): string {
  const text = readText(variables, name);
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(text) && text.trim() === text && text.length <= 256) return text;
  variables.reject(`${name} must be 1 to 256 printable latin-1 characters without spaces around them`);
  return text;
}

/** What stands between commas. The message repeats none of it, because it may hold a password. */
export function readList(
  variables: Variables,
  name: SettingName,
  expected: string,
  accepts: (text: string) => boolean,
): readonly string[] {
  const items = (variables.get(name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const wrong = items.findIndex((item) => !accepts(item));
  if (wrong >= 0) {
    variables.reject(`${name} must be ${expected} separated by commas, but item ${wrong + 1} is not`);
  }
  return items;
}

/** What was found, short enough for a message and with its control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}
