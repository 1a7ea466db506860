import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { GatewayError } from '../contract/gateway-error.ts';
import { type JsonObject, parseJsonObject } from '../contract/json-object.ts';
import { ACCOUNT_ROUTES, type AccountRoute, pickFields } from './account-requests.ts';
import type { Accounts } from './accounts.ts';
import { accountsUnavailable } from './accounts-store.ts';
import type { AddressOf } from './client-address.ts';
import { checkOrigin } from './origin-check.ts';
import type { RateLimits } from './rate-limits.ts';

export interface AccountsListenerOptions {
  readonly accounts: Accounts;
  /** The public URL of what is served here, such as `https://api.example.com/api/auth`. */
  readonly url: string;
  readonly origins: readonly string[];
  readonly limits: RateLimits;
  readonly addressOf: AddressOf;
  /** Called when a session has ended. */
  readonly onSignOut: () => void;
}

/** Sends what the guards let through on to better-auth, and its answer back. */
export function createAccountsListener(options: AccountsListenerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathBelow(request.url ?? '');
    const route = routeOf(path, request);
    checkOrigin(
      { method: request.method ?? '', headers: request.headers },
      options.origins,
      request.headers.cookie !== undefined,
    );
    const body = pickFields(
      route.fields,
      parseJsonObject(request.headers['content-type'], await buffer(request)),
    );
    const address = options.addressOf(request);
    await countAttempt(options.limits, route, address, body);
    const answer = await options.accounts.handler(requestTo(`${options.url}${path}`, request, route, body));
    if (answer.status >= 500) throw accountsUnavailable(undefined);
    if (answer.ok && route.counted === 'password')
      await options.limits.forgive(address, String(body['email']));
    if (path === '/sign-out') options.onSignOut();
    await send(answer, response);
  };
}

/** Such as `/sign-in/email` of `/api/auth/sign-in/email?x=1`. */
function pathBelow(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.slice(MOUNTED_AT.length);
}

export const MOUNTED_AT = '/api/auth';

function routeOf(path: string, { method }: IncomingMessage): AccountRoute {
  const route = ACCOUNT_ROUTES.get(path);
  if (route === undefined) throw new GatewayError('NotFound', 'There is nothing at this path.');
  if (method === route.method || (method === 'HEAD' && route.method === 'GET')) return route;
  throw new GatewayError('MethodNotAllowed', `Only ${route.method} is possible here.`, {
    headers: { allow: route.method === 'GET' ? 'GET, HEAD' : route.method },
  });
}

async function countAttempt(
  limits: RateLimits,
  { counted }: AccountRoute,
  address: string,
  body: JsonObject,
): Promise<void> {
  await limits.countRequest(address);
  if (counted === 'signUp') await limits.countSignUp(address);
  if (counted === 'password') await limits.countPassword(address, String(body['email']));
}

/** Of the client's header fields, the library sees those that say who it is. */
function requestTo(
  url: string,
  { headers }: IncomingMessage,
  route: AccountRoute,
  body: JsonObject,
): Request {
  const fields = new Headers();
  for (const name of ['authorization', 'cookie', 'origin', 'user-agent'] as const) {
    const value = headers[name];
    if (value !== undefined) fields.set(name, value);
  }
  if (route.method === 'GET') return new Request(url, { headers: fields });
  fields.set('content-type', 'application/json');
  return new Request(url, { method: route.method, headers: fields, body: JSON.stringify(body) });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  if (!answer.headers.has('cache-control')) response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', body.length);
  response.writeHead(answer.status).end(body);
}
