import type { Reference } from './metadata.ts';

export function screenAddress(path: string): string {
  return `/app/${path}`;
}

/** The path of the parent screen. */
export function parentPath(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  return end < 0 ? undefined : path.slice(0, end);
}

export const SIGN_IN = screenAddress('sign-in');
export const SIGN_UP = screenAddress('sign-up');
export const FORGOT_PASSWORD = screenAddress('forgot-password');
export const RESET_PASSWORD = screenAddress('reset-password');
export const CONFIRM = screenAddress('confirm');
export const ACCOUNT = screenAddress('account');
/** The page for connecting programs to an entity set. */
export function connectAddress(entitySet: string): string {
  return screenAddress(`connect/${encodeURIComponent(entitySet)}`);
}

export const AUDIT = screenAddress('audit');
export const USERS = screenAddress('users');
export const APIS = screenAddress('apis');
/** Below {@link APIS}; names of APIs contain no hyphen. */
export const REGISTER = 'register-api';
export const REGISTER_API = `${APIS}/${REGISTER}`;

export function apiAddress(name: string, tab = ''): string {
  return tab === '' ? `${APIS}/${name}` : `${APIS}/${name}/${tab}`;
}

/** The page to return to, if it is a local one. */
export function returnAddress(parameters: URLSearchParams): string {
  const address = parameters.get('return') ?? '/';
  return /^\/(?![/\\])/.test(address) ? address : '/';
}

/** The path of the screen for an entity set without a configured one. */
export function standardPath(entitySet: string): string {
  return `sets/${entitySet}`;
}

/** The screen of the entity that a foreign key refers to. */
export function relatedAddress({ entitySet, key }: Reference, value: unknown): string {
  return `${screenAddress(`${standardPath(entitySet)}/by-key`)}?${new URLSearchParams({ [key]: String(value) })}`;
}
