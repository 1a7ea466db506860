import { GatewayError } from '../../contract/gateway-error.ts';
import type { JsonObject } from '../../contract/json-object.ts';
import { isRoleName, MOST_ROLES } from '../../contract/principal.ts';
import { LEAST_PASSWORD, LONGEST_PASSWORD } from '../passwords/password-hash.ts';

/** A request to the accounts that is served; all others of the library's are not. */
export interface AccountRoute {
  readonly method: 'GET' | 'POST';
  /** The properties of its body that are handed on: to what they must be. */
  readonly fields: Readonly<Record<string, Field>>;
  /** What it is counted as, against guessing: `ownPassword` is that of whoever has signed in. */
  readonly counted?: 'signUp' | 'password' | 'ownPassword';
  /** The property of its body that is a password to be had from then on. */
  readonly chooses?: 'password' | 'newPassword';
  /** It is for those who sign in by passwords. */
  readonly isByPassword?: boolean;
  /** Only whoever has signed in may ask. */
  readonly forSession?: boolean;
  /** What whoever asks has done then, in words that follow on who he is. */
  readonly audited?: string;
  /** Afterwards some sessions are good no longer. */
  readonly endsSessions?: boolean;
}

interface Field {
  readonly isOptional?: boolean;
  /** What is handed on where it is left out. */
  readonly fallback?: unknown;
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

/** No control, format, private or unassigned character, and no surrogate. */
const PRINTABLE = /^[^\p{C}]+$/u;

/** A name for people to read: no longer than a line, and nothing in it that steers a terminal or a header. */
export const NAME: Field = {
  expected: '1 to 100 printable characters',
  accepts: (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= 100 && PRINTABLE.test(value),
};
export const EMAIL: Field = {
  expected: 'an e-mail address of at most 254 characters',
  accepts: (value) =>
    typeof value === 'string' &&
    value.length <= 254 &&
    /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(value),
};
export const PASSWORD: Field = {
  expected: `${LEAST_PASSWORD} to ${LONGEST_PASSWORD} characters`,
  accepts: (value) =>
    typeof value === 'string' && value.length >= LEAST_PASSWORD && value.length <= LONGEST_PASSWORD,
};
export const ROLES: Field = {
  expected: `a list of 1 to ${MOST_ROLES} names of roles, each of 1 to 64 letters, digits and _.:/-`,
  accepts: (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MOST_ROLES &&
    new Set(value).size === value.length &&
    value.every((role) => typeof role === 'string' && isRoleName(role)),
};
export const GIVEN_PASSWORD: Field = {
  expected: `a text of at most ${LONGEST_PASSWORD} characters`,
  accepts: (value) => typeof value === 'string' && value.length <= LONGEST_PASSWORD,
};
export const INVITATION: Field = {
  isOptional: true,
  expected: 'the text of an invitation',
  accepts: (value) => typeof value === 'string' && value.length <= 500,
};
const FLAG: Field = {
  isOptional: true,
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

export const ACCOUNT_ROUTES: ReadonlyMap<string, AccountRoute> = new Map([
  [
    '/sign-up/email',
    {
      method: 'POST',
      fields: { name: NAME, email: EMAIL, password: PASSWORD, invitation: INVITATION },
      counted: 'signUp',
      chooses: 'password',
      isByPassword: true,
      audited: 'signed up',
    },
  ],
  [
    '/sign-in/email',
    {
      method: 'POST',
      fields: { email: EMAIL, password: GIVEN_PASSWORD, rememberMe: FLAG },
      counted: 'password',
      isByPassword: true,
      audited: 'signed in',
    },
  ],
  ['/sign-out', { method: 'POST', fields: {}, endsSessions: true, audited: 'signed out' }],
  [
    '/revoke-other-sessions',
    {
      method: 'POST',
      fields: {},
      forSession: true,
      endsSessions: true,
      audited: 'signed out everywhere else',
    },
  ],
  [
    '/change-password',
    {
      method: 'POST',
      fields: {
        currentPassword: GIVEN_PASSWORD,
        newPassword: PASSWORD,
        // Who changes a password may do so because somebody else knows it.
        revokeOtherSessions: { ...FLAG, fallback: true },
      },
      counted: 'ownPassword',
      chooses: 'newPassword',
      isByPassword: true,
      forSession: true,
      endsSessions: true,
      audited: 'changed the password',
    },
  ],
  [
    '/delete-user',
    {
      method: 'POST',
      fields: { password: GIVEN_PASSWORD },
      counted: 'ownPassword',
      forSession: true,
      endsSessions: true,
      audited: 'removed the account',
    },
  ],
  ['/get-session', { method: 'GET', fields: {} }],
  ['/token', { method: 'GET', fields: {} }],
  ['/jwks', { method: 'GET', fields: {} }],
]);

/** The properties that are asked for, checked; whatever else the body has is left behind. */
export function pickFields(fields: AccountRoute['fields'], body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = Object.hasOwn(body, name) ? body[name] : undefined;
      if (value === undefined && field.isOptional) return 'fallback' in field ? [[name, field.fallback]] : [];
      if (field.accepts(value)) return [[name, value]];
      throw new GatewayError('BadRequest', `${name} must be ${field.expected}.`, { target: name });
    }),
  );
}

interface Asking {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what a page of another origin makes a browser send with the cookies that it has for this one.
 *
 * Browsers name the origin in every request that is not safe: with a cookie, no name is no good.
 */
export function checkOrigin(
  { method, headers }: Asking,
  origins: readonly string[],
  hasCookie: boolean,
): void {
  if (SAFE.has(method)) return;
  const origin = headers['origin'];
  if (origin === undefined ? !hasCookie : typeof origin === 'string' && origins.includes(origin)) return;
  throw new GatewayError('Forbidden', 'The Origin header must name this service.', {
    target: 'Origin',
  });
}

/** Origins that a browser may send with requests of ours: on a loopback address, a browser may use its other names. */
export function originsOf(baseUrl: string): readonly string[] {
  const { origin, hostname, protocol, port } = new URL(baseUrl);
  const names = ['localhost', '127.0.0.1', '[::1]'];
  if (!names.includes(hostname)) return [origin];
  return names.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
}
