import { describe, expect, it } from 'vitest';
import type { Landing } from '../../src/server/landing.ts';
import { sendRequest } from './raw-client.ts';
import { runServer } from './running-server.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const LANDING: Landing = {
  title: 'Posts & <more>',
  description: 'One API, "two" protocols.',
  links: [
    { title: 'OData', href: "/odata?x='1'&y", description: 'The <service> document.' },
    { title: 'GraphQL', href: '/graphql' },
  ],
};

describe('/health', () => {
  it.each([
    ['/health/live', true, 200, { status: 'live' }],
    ['/health/live', false, 200, { status: 'live' }],
    ['/health/ready', true, 200, { status: 'ready' }],
    ['/health/ready?x', true, 200, { status: 'ready' }],
    ['/health/ready', false, 503, { status: 'not ready' }],
  ])('%s answers, when the service is ready: %s, with %i', async (path, isReady, status, body) => {
    const { url } = await runServer([], { isReady: async () => isReady });
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toStrictEqual([status, body]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('is not ready when nobody can say', async () => {
    const { url } = await runServer([], { isReady: () => Promise.reject(new Error('broken')) });
    expect((await fetch(`${url}/health/ready`)).status).toBe(500);
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
      const { port } = await runServer([], { landing: LANDING });
      const headers = accept === undefined ? ['Host: x'] : ['Host: x', `Accept: ${accept}`];
      const answer = await sendRequest(port, 'GET /', headers);
      expect([answer.status, answer.headers['content-type'], answer.headers['vary']]).toStrictEqual([
        200,
        'application/json; charset=utf-8',
        'Accept',
      ]);
      expect(JSON.parse(answer.body)).toStrictEqual(LANDING);
    },
  );

  it('is a page for a browser, with everything escaped', async () => {
    const { port } = await runServer([], { landing: LANDING });
    const answer = await sendRequest(port, 'GET /?utm=1', ['Host: x', `Accept: ${BROWSER}`]);
    expect([answer.status, answer.headers['content-type']]).toStrictEqual([200, 'text/html; charset=utf-8']);
    expect(answer.body).toContain('<title>Posts &amp; &lt;more&gt;</title>');
    expect(answer.body).toContain('<p>One API, &quot;two&quot; protocols.</p>');
    expect(answer.body).toContain(
      '<li><a href="/odata?x=&#39;1&#39;&amp;y">OData</a><br>The &lt;service&gt; document.</li>',
    );
    expect(answer.body).toContain('<li><a href="/graphql">GraphQL</a></li>');
  });

  it('is meant by a target without a path', async () => {
    const { port } = await runServer([], { landing: LANDING });
    expect((await sendRequest(port, 'GET http://any.example?x')).status).toBe(200);
  });
});
