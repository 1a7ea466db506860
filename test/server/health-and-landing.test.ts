import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import type { Landing } from '../../src/contract/landing.ts';
import { ANONYMOUS, type Principal, UNRESTRICTED } from '../../src/contract/principal.ts';
import { sendRequest } from './raw-client.ts';
import { EMPTY_LANDING, runServer } from './running-server.ts';
import { useWebBuild, WEB_PAGE } from './web-build.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** A landing page that shows the kind of the principal. */
const landing = (principal: Principal): Landing => ({
  ...EMPTY_LANDING,
  title: 'Posts & <more>',
  access: principal.kind,
  links: [{ title: 'OData', href: "odata?x='1'&y", description: 'The <service> document.' }],
});

describe('/health', () => {
  it.each([
    ['/health/live', 'ready', 200, { status: 'live' }],
    ['/health/live', 'not ready', 200, { status: 'live' }],
    ['/health/ready', 'ready', 200, { status: 'ready' }],
    ['/health/ready?x', 'ready', 200, { status: 'ready' }],
    ['/health/ready', 'degraded', 200, { status: 'degraded' }],
    ['/health/ready', 'not ready', 503, { status: 'not ready' }],
  ] as const)('%s answers, when the service is %s, with %i', async (path, readiness, status, body) => {
    const { url } = await runServer([], { readiness: async () => readiness });
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toStrictEqual([status, body]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('is not ready when nobody can say', async () => {
    const { url } = await runServer([], { readiness: () => Promise.reject(new Error('broken')) });
    expect((await fetch(`${url}/health/ready`)).status).toBe(500);
  });

  it('is not ready, and no path is a 404, until there are routes', async () => {
    const { url, server } = await runServer([], { routes: undefined });
    const statusOf = async (path: string) => (await fetch(url + path)).status;
    const answer = await fetch(`${url}/odata/Post('1')`);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toStrictEqual([
      503,
      '1',
      { error: { code: 'Starting', message: 'The gateway is starting: repeat the request in a moment.' } },
    ]);
    expect([await statusOf('/health/live'), await statusOf('/health/ready'), await statusOf('/')]).toEqual([
      200, 503, 503,
    ]);
    await server.replaceRoutes([], () => EMPTY_LANDING);
    expect([await statusOf('/health/ready'), await statusOf('/'), await statusOf('/odata')]).toEqual([
      200, 200, 404,
    ]);
  });

  it.each(['/health/live', '/'])('allows only GET and HEAD on %s', async (path) => {
    const { url } = await runServer([]);
    const response = await fetch(url + path, { method: 'POST', body: 'x' });
    expect([response.status, response.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD']);
  });
});

describe('/', () => {
  it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'image/png'])(
    'is JSON for a program that accepts %s',
    async (accept) => {
      const { port } = await runServer([], { landing, authenticate: () => UNRESTRICTED });
      const headers = accept === undefined ? ['Host: x'] : ['Host: x', `Accept: ${accept}`];
      const answer = await sendRequest(port, 'GET /', headers);
      expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toStrictEqual([
        200,
        'application/json; charset=utf-8',
        'accept',
      ]);
      expect(JSON.parse(answer.body)).toStrictEqual(landing(UNRESTRICTED));
    },
  );

  it('is the page of the screens for a browser, whoever asks', async () => {
    const authenticate = (): never => {
      throw new GatewayError('Unauthorized', 'No.');
    };
    const { port } = await runServer([], { landing, authenticate, web: useWebBuild() });
    const answer = await sendRequest(port, 'GET /?utm=1', ['Host: x', `Accept: ${BROWSER}`]);
    expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toStrictEqual([
      200,
      'text/html; charset=utf-8',
      'accept-encoding, accept',
    ]);
    expect(answer.body).toBe(WEB_PAGE);
  });

  it('is JSON for a browser, too, where the screens have not been built', async () => {
    const { port } = await runServer([], { landing, authenticate: () => ANONYMOUS });
    const answer = await sendRequest(port, 'GET /', ['Host: x', `Accept: ${BROWSER}`]);
    expect(JSON.parse(answer.body)).toStrictEqual(landing(ANONYMOUS));
  });

  it('is meant by a target without a path', async () => {
    const { port } = await runServer([], { landing });
    expect((await sendRequest(port, 'GET http://any.example?x')).status).toBe(200);
  });
});
