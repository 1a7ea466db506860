import type { Answer } from '../support/running-gateway.ts';

interface Fetching {
  fetch(path: string, init?: RequestInit): Promise<Answer>;
}

export const ACCESS = {
  AUTH: 'required',
  AUTH_SECRET: 'k3!9fJq2-Lr7Zp0sVx8Tn4Wb6Yd1Hc5Gm',
  DATABASE_URL: ':memory:',
};

export const PASSWORD = 'correct horse battery';

/** Sends JSON to the accounts. */
export function send(
  gateway: Fetching,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return gateway.fetch(`/api/auth${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** A user who has signed up and in. */
export interface SignedIn {
  readonly id: string;
  readonly email: string;
  /** The session's token, as a bearer sends it. */
  readonly session: string;
  /** As a browser sends it. */
  readonly cookie: string;
}

/** Makes an account and signs in. */
export async function signUp(gateway: Fetching, email: string): Promise<SignedIn> {
  await send(gateway, '/sign-up/email', { name: 'Anna', email, password: PASSWORD });
  return signIn(gateway, email);
}

export async function signIn(gateway: Fetching, email: string): Promise<SignedIn> {
  const { text, headers } = await send(gateway, '/sign-in/email', { email, password: PASSWORD });
  const { token, user } = JSON.parse(text);
  const [cookie = ''] = headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');
  return { id: user.id, email, session: token, cookie };
}

/** A token of the gateway. */
export async function tokenOf(gateway: Fetching, { session }: SignedIn): Promise<string> {
  const { text } = await gateway.fetch('/api/auth/token', { headers: bearer(session) });
  return JSON.parse(text).token;
}

/** A new API key, with its id. */
export async function keyOf(
  gateway: Fetching,
  { session }: SignedIn,
): Promise<{ readonly id: string; readonly key: string }> {
  const { text } = await send(gateway, '/keys', { name: 'Excel' }, bearer(session));
  return JSON.parse(text);
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
