/** The address of a screen, for the router, from its path. */
export function screenAddress(path: string): string {
  return `/app/${path}`;
}

/** The path of the screen that this one is a subpage of. */
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
/** How programs read an entity set. */
export function connectAddress(entitySet: string): string {
  return screenAddress(`connect/${encodeURIComponent(entitySet)}`);
}

export const AUDIT = screenAddress('audit');
export const USERS = screenAddress('users');
export const APIS = screenAddress('apis');
/** Below {@link APIS}; no name of an API has a hyphen in it. */
export const REGISTER = 'register-api';
export const REGISTER_API = `${APIS}/${REGISTER}`;

/** One of the pages of an API. */
export function apiAddress(name: string, tab = ''): string {
  return tab === '' ? `${APIS}/${name}` : `${APIS}/${name}/${tab}`;
}

/** Where one came from, if that is a page here; never the address of another site. */
export function returnAddress(parameters: URLSearchParams): string {
  const address = parameters.get('return') ?? '/';
  return /^\/(?![/\\])/.test(address) ? address : '/';
}
