import { describe, expect, it } from 'vitest';
import { ACCESS, bearer, signUp } from '../auth/account-client.ts';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { protocolPart, runServer } from './running-server.ts';

const LISTED = 'https://ui.example.com';
const OTHER = 'https://evil.example.com';
const gateway = useGateway({ ...ACCESS, CORS_ORIGINS: `${LISTED},http://localhost:8080` });

const grants = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const EXPOSED =
  'Accept-Ranges, Allow, AsyncResult, Content-Range, ETag, Location, OData-EntityId, OData-Version, ' +
  'Preference-Applied, Retry-After, X-Request-Id';

const SHARED = {
  'access-control-allow-credentials': 'true',
  'access-control-allow-origin': LISTED,
  'access-control-expose-headers': EXPOSED,
};

const preflight = (path: string, origin: string, asked: Record<string, string> = {}) =>
  gateway.fetch(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...asked },
  });

describe('pages of other origins (Fetch Standard, the CORS protocol)', () => {
  // odata-rules.md, section 3: UI5 asks for these, without a token.
  it.each(['/odata/', '/odata/$batch', "/odata/Post('1')", '/graphql'])(
    'ask for %s without a token',
    async (path) => {
      const requested = {
        'access-control-request-headers': 'authorization,x-sap-security-session,x-csrf-token',
      };
      const { status, headers, text } = await preflight(path, LISTED, requested);
      expect([status, text, headers.get('vary')]).toStrictEqual([
        204,
        '',
        'origin, access-control-request-method, access-control-request-headers',
      ]);
      expect(grants(headers)).toStrictEqual({
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'authorization,x-sap-security-session,x-csrf-token',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-origin': LISTED,
        'access-control-max-age': '600',
      });
    },
  );

  it.each([
    ['an origin that is not listed', '/odata/Post', OTHER],
    ['an origin with another port', '/odata/Post', `${LISTED}:8443`],
    ['a part that is for our own pages', '/api/registry', LISTED],
  ])('are not admitted: %s', async (_, path, origin) => {
    const { status, headers } = await preflight(path, origin);
    expect(status).not.toBe(204);
    expect(grants(headers)).toStrictEqual({});
  });

  it('are shown answers and errors alike, and caches are told that they differ', async () => {
    gateway.upstream.behave(postsApi);
    const user = await signUp(gateway, 'cors@example.com');
    for (const [origin, expected] of [
      [LISTED, SHARED],
      [OTHER, {}],
    ] as const) {
      const denied = await gateway.fetch('/odata/Post', { headers: { origin } });
      expect([denied.status, grants(denied.headers)]).toStrictEqual([401, expected]);
      const shown = await gateway.fetch('/odata/Post', { headers: { origin, ...bearer(user.session) } });
      expect([shown.status, grants(shown.headers)]).toStrictEqual([200, expected]);
      expect(shown.headers.get('vary')).toBe('accept, odata-maxversion, prefer, origin');
    }
    const graphql = await gateway.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query: '{ posts { id } }' }),
      headers: { origin: LISTED, 'content-type': 'application/json', ...bearer(user.session) },
    });
    expect([graphql.status, grants(graphql.headers)]).toStrictEqual([200, SHARED]);
  });

  it('change nothing with cookies that a browser adds by itself', async () => {
    const { cookie } = await signUp(gateway, 'cookie@example.com');
    const response = await gateway.fetch('/odata/Post', {
      method: 'POST',
      body: '{"title":"x"}',
      headers: { origin: LISTED, cookie, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(403);
    expect(gateway.upstream.requests.filter(({ method }) => method === 'POST')).toStrictEqual([]);
  });
});

describe('the server', () => {
  const part = { ...protocolPart(), crossOrigin: true };

  it('admits all origins, without credentials, for *', async () => {
    const { url } = await runServer([part], { corsOrigins: ['*'] });
    const { headers } = await fetch(`${url}/odata`, { headers: { origin: OTHER } });
    expect(grants(headers)).toStrictEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
    });
    expect(headers.get('vary')).toBeNull();
  });

  it('says nothing of it where no origin is listed', async () => {
    const { url } = await runServer([part]);
    const { headers } = await fetch(`${url}/odata`, { headers: { origin: LISTED } });
    expect([grants(headers), headers.get('vary')]).toStrictEqual([{}, null]);
  });

  it('leaves an OPTIONS that is no preflight to its part', async () => {
    const { url } = await runServer([part], { corsOrigins: [LISTED] });
    const response = await fetch(`${url}/odata`, { method: 'OPTIONS', headers: { origin: LISTED } });
    expect(JSON.parse(await response.text())).toStrictEqual({ method: 'OPTIONS', target: '' });
  });
});
