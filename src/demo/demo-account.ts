import { randomBytes } from 'node:crypto';
import type { startGateway } from '../app.ts';
import { openAdministration } from '../composition/auth-module.ts';

/** The account of the demo. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
}

/** The credentials of the account. */
export interface DemoCredentials {
  /** The token of a session. */
  readonly token: string;
  readonly key: string;
}

type Config = Parameters<typeof startGateway>[0];

const EMAIL = 'demo@example.com';
const PASSWORD_BYTES = 12;

/** Creates an account with the roles, before the gateway starts. */
export async function makeDemoAccount(config: Config, roles: readonly string[]): Promise<DemoAccount> {
  const account = { email: EMAIL, password: randomBytes(PASSWORD_BYTES).toString('base64url') };
  const administration = await openAdministration(config);
  await administration.addUser({ ...account, name: 'Demo', roles: [...roles] });
  await administration.close();
  return account;
}

/** Signs in and creates an API key, like a user. */
export async function signInToDemo(url: string, account: DemoAccount): Promise<DemoCredentials> {
  const { token } = await post(`${url}/api/auth/sign-in/email`, account, {});
  const { key } = await post(
    `${url}/api/auth/keys`,
    { name: 'Demo' },
    { authorization: `Bearer ${String(token)}` },
  );
  return { token: String(token), key: String(key) };
}

async function post(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly [name: string]: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (response.ok && typeof answer === 'object' && answer !== null) return { ...answer };
  throw new Error(`${url} answered ${response.status}.`);
}
