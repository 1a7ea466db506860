import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import { parseJsonObject } from '../contract/json-object.ts';
import { Secret } from '../contract/secret.ts';
import { ACCOUNT_HEADERS } from './account-error.ts';
import { pickFields } from './account-requests.ts';
import type { Authenticator } from './authenticator.ts';
import type { UpstreamKeys } from './upstream-credentials.ts';

export interface UpstreamKeysHandlerOptions {
  readonly keys: UpstreamKeys;
  readonly authenticator: Pick<Authenticator, 'loggedIn'>;
  /** The APIs that are called with a key of each user's. */
  readonly apis: () => readonly string[];
}

/**
 * Lets users store the keys that they have at upstreams: `GET` at the path itself, `PUT` and `DELETE` at the name of
 * the API below it. A key is told to nobody again. An API key will not do to change one, as it is easily lost.
 */
export function createUpstreamKeysHandler({ keys, authenticator, apis }: UpstreamKeysHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    const user = await authenticator.loggedIn(request);
    if (user === undefined) throw loginRequired();
    const [path = ''] = request.target.split(/[?#]/, 1);
    if (path === '') {
      if (request.method !== 'GET') throw notAllowed('GET, HEAD');
      return { status: 200, headers: ACCOUNT_HEADERS, body: JSON.stringify(await describe(user.id)) };
    }
    const [, api] = /^\/(\w{1,128})$/.exec(path) ?? [];
    if (api === undefined) throw new GatewayError('NotFound', 'There is nothing at this path.');
    await change(request, user.id, api);
    return { status: 204, headers: { 'cache-control': 'no-store' }, body: undefined };
  };

  async function describe(owner: string): Promise<object> {
    const stored = new Map((await keys.list(owner)).map((key) => [key.api, key.updatedAt]));
    return { keys: apis().map((api) => ({ api, updatedAt: stored.get(api) ?? null })) };
  }

  async function change(request: GatewayRequest, owner: string, api: string): Promise<void> {
    switch (request.method) {
      case 'PUT': {
        const isKnown = apis().includes(api);
        if (!isKnown) throw new GatewayError('NotFound', 'There is no such API that takes a key of yours.');
        return keys.store(owner, api, readKey(request));
      }
      // Also for an API that is there no more.
      case 'DELETE':
        if (await keys.remove(owner, api)) return;
        throw new GatewayError('NotFound', 'You have stored no key for that API.');
      default:
        throw notAllowed('PUT, DELETE');
    }
  }
}

const LONGEST_KEY = 4096;

const KEY = {
  key: {
    expected: `a text of 1 to ${LONGEST_KEY} printable ASCII characters, with none but these at its ends`,
    accepts: (value: unknown) =>
      typeof value === 'string' &&
      value.length <= LONGEST_KEY &&
      /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value),
  },
};

function readKey({ headers, body }: GatewayRequest): Secret {
  const { key } = pickFields(KEY, parseJsonObject(headers['content-type'], body ?? new Uint8Array()));
  return new Secret(String(key));
}

function notAllowed(allow: string): GatewayError {
  return new GatewayError('MethodNotAllowed', `Possible here: ${allow}.`, { headers: { allow } });
}
