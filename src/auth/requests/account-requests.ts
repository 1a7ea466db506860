import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { GatewayRequest } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { isRoleName, MOST_ROLES } from '../../contract/principal.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { LEAST_PASSWORD, LONGEST_PASSWORD } from '../passwords/password-hash.ts';
import type { Attempt } from './rate-limits.ts';

/** A route of better-auth that the gateway serves; all others are rejected. */
export interface AccountRoute {
  readonly method: 'GET' | 'POST';
  /** The schema of the body; only these properties are passed on. */
  readonly fields: z.ZodObject;
  /** The rate limit that applies. */
  readonly counted?: Attempt;
  /** The property of the body with a new password. */
  readonly chooses?: 'password' | 'newPassword';
  readonly isByPassword?: boolean;
  readonly forSession?: boolean;
  /** The action in the audit log, in words that follow the user's name. */
  readonly audited?: string;
  /** Whether the request ends sessions. */
  readonly endsSessions?: boolean;
}

/** A schema with one message for all requirements. */
export function must<Value>(expected: string, accepts: (value: unknown) => boolean) {
  return z.custom<Value>(accepts, expected);
}

export function wholeNumber(most: number) {
  return must<number>(
    `a whole number from 1 to ${most}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most,
  );
}

/** No control, format, private or unassigned character, and no surrogate. */
const PRINTABLE = /^[^\p{C}]+$/u;

/** A name for display: at most one line, without characters that control a terminal or a header. */
export const NAME = must<string>(
  '1 to 100 printable characters',
  (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 100 && PRINTABLE.test(value),
);
export const EMAIL = must<string>(
  'an e-mail address of at most 254 characters',
  (value) =>
    typeof value === 'string' &&
    value.length <= 254 &&
    /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(value),
);
export const PASSWORD = must<string>(
  `${LEAST_PASSWORD} to ${LONGEST_PASSWORD} characters`,
  (value) => typeof value === 'string' && value.length >= LEAST_PASSWORD && value.length <= LONGEST_PASSWORD,
);
export const ROLES = must<readonly string[]>(
  `a list of 1 to ${MOST_ROLES} names of roles, each of 1 to 64 letters, digits and _.:/-`,
  (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MOST_ROLES &&
    new Set(value).size === value.length &&
    value.every((role) => typeof role === 'string' && isRoleName(role)),
);
export const GIVEN_PASSWORD = must<string>(
  `a text of at most ${LONGEST_PASSWORD} characters`,
  (value) => typeof value === 'string' && value.length <= LONGEST_PASSWORD,
);
export const INVITATION = must<string>(
  'the text of an invitation',
  (value) => typeof value === 'string' && value.length <= 500,
).optional();
export const FLAG = must<boolean>('true or false', (value) => typeof value === 'boolean');

const NO_FIELDS = z.object({});

export const ACCOUNT_ROUTES: ReadonlyMap<string, AccountRoute> = new Map([
  [
    '/sign-up/email',
    {
      method: 'POST',
      fields: z.object({ name: NAME, email: EMAIL, password: PASSWORD, invitation: INVITATION }),
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
      fields: z.object({ email: EMAIL, password: GIVEN_PASSWORD, rememberMe: FLAG.optional() }),
      counted: 'password',
      isByPassword: true,
      audited: 'signed in',
    },
  ],
  ['/sign-out', { method: 'POST', fields: NO_FIELDS, endsSessions: true, audited: 'signed out' }],
  [
    '/revoke-other-sessions',
    {
      method: 'POST',
      fields: NO_FIELDS,
      forSession: true,
      endsSessions: true,
      audited: 'signed out everywhere else',
    },
  ],
  [
    '/change-password',
    {
      method: 'POST',
      fields: z.object({
        currentPassword: GIVEN_PASSWORD,
        newPassword: PASSWORD,
        // A user may change a password because someone else knows it.
        revokeOtherSessions: FLAG.default(true),
      }),
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
      fields: z.object({ password: GIVEN_PASSWORD }),
      counted: 'ownPassword',
      forSession: true,
      endsSessions: true,
      audited: 'removed the account',
    },
  ],
  ['/get-session', { method: 'GET', fields: NO_FIELDS }],
  ['/token', { method: 'GET', fields: NO_FIELDS }],
  ['/jwks', { method: 'GET', fields: NO_FIELDS }],
]);

/** Validates the body and drops unknown properties. Throws BadRequest with the first mistake. */
export function pickFields<Fields extends z.ZodObject>(fields: Fields, body: JsonObject): z.output<Fields> {
  const { success, data, error } = fields.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  const name = String(issue?.path[0]);
  throw new GatewayError('BadRequest', `${name} must be ${issue?.message}.`, { target: name });
}

/** The parts of a request that identify the client. */
export type Asking = Pick<GatewayRequest, 'method' | 'headers'>;

/** Adapts a request of Node. Only set-cookie could be a list, and the server has removed it. */
export function asking({ method = '', headers }: IncomingMessage): Asking {
  return { method, headers: headers as GatewayRequest['headers'] };
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects requests that a page of another origin makes a browser send with the gateway's cookie.
 *
 * Browsers send the origin with every unsafe request, so a cookie without an origin is rejected, too.
 */
export function checkOrigin(
  { method, headers: { origin } }: Asking,
  origins: readonly string[],
  hasCookie: boolean,
): void {
  if (SAFE.has(method)) return;
  if (origin === undefined ? !hasCookie : origins.includes(origin)) return;
  throw new GatewayError('Forbidden', 'The Origin header must name this service.', {
    target: 'Origin',
  });
}

/** The origins that browsers may send for the gateway: a loopback address has several names. */
export function originsOf(baseUrl: string): readonly string[] {
  const { origin, hostname, protocol, port } = new URL(baseUrl);
  const names = ['localhost', '127.0.0.1', '[::1]'];
  if (!names.includes(hostname)) return [origin];
  return names.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
}
