import { shorten } from '../core/shorten.ts';
import { SETTINGS, type SettingName, type SettingOf } from './settings.ts';

/** The environment variables, and a list for the mistakes in them. */
export interface Variables {
  /**
   * The value; undefined if the variable is missing or empty, because compose files pass unset variables as
   * ''.
   */
  readonly get: (name: SettingName | 'http_proxy' | 'https_proxy' | 'no_proxy') => string | undefined;
  /** Records a mistake and continues, so that all mistakes are reported together. */
  readonly reject: (mistake: string) => void;
}

export function readNumber(
  variables: Variables,
  name: SettingOf<{ readonly kind: 'number'; readonly fallback: number }>,
): number {
  return numberOf(variables, name) ?? SETTINGS[name].fallback;
}

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

export function readText(
  variables: Variables,
  name: SettingOf<{ readonly kind: 'text'; readonly fallback: string }>,
): string {
  return variables.get(name) ?? SETTINGS[name].fallback;
}

/**
 * The URL without a trailing slash, so that paths can be appended.
 *
 * Rejects credentials, which would end up in logs and links, and a query or fragment, which would end up in
 * the middle of derived URLs. The message never quotes the value, because it may contain a password.
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

/** A value for an HTTP header: only printable Latin-1 is sent unchanged. */
export function readHeaderValue(variables: Variables, name: 'APPLICATION_NAME' | 'GATEWAY_API_NAME'): string {
  const text = readText(variables, name);
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(text) && text.trim() === text && text.length <= 256) return text;
  variables.reject(`${name} must be 1 to 256 printable latin-1 characters without spaces around them`);
  return text;
}

/** The items between commas. The message never quotes them, because they may contain a password. */
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

/** A quoted value, shortened and with escaped control characters. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}
