import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError, loginRequired } from '../../contract/gateway-error.ts';
import { Secret } from '../../contract/secret.ts';
import type { UpstreamKeys } from '../keys/upstream-credentials.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import {
  json,
  NO_CONTENT,
  notAllowed,
  nothingHere,
  pathOf,
  readFields,
} from '../requests/account-answers.ts';

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
    const path = pathOf(request);
    if (path === '') {
      if (request.method !== 'GET') throw notAllowed('GET, HEAD');
      return json(200, await describe(user.id));
    }
    const [, api] = /^\/(\w{1,128})$/.exec(path) ?? [];
    if (api === undefined) throw nothingHere();
    await change(request, user.id, api);
    return NO_CONTENT;
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

function readKey(request: GatewayRequest): Secret {
  return new Secret(String(readFields(KEY, request)['key']));
}
