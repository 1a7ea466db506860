import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const EVIL = 'http://evil.example.com';
const SHARING = 'http://ui.example.com';
const gateway = useGateway({ BASE_URL: 'http://posts.example.com/api', CORS_ORIGINS: SHARING });

interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Reported {
  readonly status: number;
  readonly text: string;
}

/** As a browser sends it: `fetch` would put in a Host of its own. */
function ask({ method, path, headers: given, body = '' }: PageRequest): Promise<Reported> {
  const headers = { ...given, 'content-length': String(Buffer.byteLength(body)) };
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const PATHS = [
  '/',
  '/app',
  '/nothing',
  '/health/live',
  '/metrics',
  '/odata',
  '/odata/$metadata',
  '/odata/$batch',
  '/odata/Post',
  "/odata/Post('1')",
  '/odata/Post/$query',
  '/graphql',
  '/api/auth/sign-in/email',
  '/api/registry',
  '/api/registry/$check',
  '/api/registry/Posts/try',
];
const CHANGING = ['POST', 'PUT', 'PATCH', 'DELETE'];
const FORMS = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
const MUTATION = '{"query":"mutation { createPost(input: { title: \\"x\\" }) { id } }"}';

const host = () => new URL(gateway.url).host;

function expectForbidden(answer: Reported, header: string): void {
  expect([answer.status, answer.text.includes(`The ${header} header must name this service.`)]).toStrictEqual(
    [403, true],
  );
}

describe('where everybody may do everything, a page of another origin', () => {
  it.each(PATHS)('changes nothing at %s', async (path) => {
    gateway.upstream.behave(postsApi);
    const before = gateway.upstream.requests.length;
    for (const method of CHANGING) {
      for (const type of FORMS) {
        for (const origin of [EVIL, 'null', 'http://127.0.0.1:1', 'http://127.0.0.1', `https://${host()}`]) {
          const headers = { host: host(), origin, 'content-type': type };
          expectForbidden(await ask({ method, path, headers, body: MUTATION }), 'Origin');
        }
      }
    }
    expect(gateway.upstream.requests.length).toBe(before);
  });

  it.each(PATHS)('reads nothing at %s by a name that it had lead here', async (path) => {
    gateway.upstream.behave(postsApi);
    const before = gateway.upstream.requests.length;
    const names = [
      'evil.example.com',
      'localhost.evil.example.com',
      '127.0.0.1.evil.example.com',
      '[::2]',
      'x',
    ];
    for (const method of ['GET', ...CHANGING]) {
      for (const name of names) {
        const origin = method === 'GET' ? {} : { origin: `http://${name}:4000` };
        const headers = { host: `${name}:4000`, 'content-type': 'application/json', ...origin };
        expectForbidden(
          await ask({ method, path, headers, ...(method !== 'GET' && { body: MUTATION }) }),
          'Host',
        );
      }
    }
    expect(gateway.upstream.requests.length).toBe(before);
  });

  it('may have what is shared with it, and no more', async () => {
    gateway.upstream.behave(postsApi);
    const headers = { host: host(), origin: SHARING, 'content-type': 'application/json' };
    const shared = await ask({
      method: 'POST',
      path: '/odata/Post',
      headers,
      body: '{"UserId":1,"Title":"x"}',
    });
    expect(shared.status).toBe(201);
    expectForbidden(
      await ask({ method: 'POST', path: '/api/registry/$check', headers, body: '{}' }),
      'Origin',
    );
  });
});

describe('where everybody may do everything, the pages of the gateway and programs', () => {
  it.each([
    ['a program', () => ({ host: host() })],
    ['a program that asks localhost', () => ({ host: host().replace('127.0.0.1', 'localhost') })],
    ['a page at the address', () => ({ host: host(), origin: `http://${host()}` })],
    ['a page at the public URL', () => ({ host: 'posts.example.com', origin: 'http://posts.example.com' })],
    ['a page behind a proxy', () => ({ host: host(), origin: 'http://posts.example.com' })],
  ])('are served: %s', async (_, headers) => {
    gateway.upstream.behave(postsApi);
    const requested = { method: 'POST', headers: { ...headers(), 'content-type': 'application/json' } };
    const created = await ask({ ...requested, path: '/odata/Post', body: '{"UserId":1,"Title":"x"}' });
    expect(created.status).toBe(201);
    expect(
      JSON.parse((await ask({ ...requested, path: '/graphql', body: '{"query":"{ posts { id } }"}' })).text),
    ).toHaveProperty('data.posts');
  });
});

describe('a body of GraphQL', () => {
  it.each([...FORMS, 'application/graphql', 'text/plain; a=application/json', ''])(
    'is JSON, and not %s',
    async (type) => {
      const before = gateway.upstream.requests.length;
      const headers = { host: host(), ...(type !== '' && { 'content-type': type }) };
      const { status, text } = await ask({ method: 'POST', path: '/graphql', headers, body: MUTATION });
      expect([status, JSON.parse(text)]).toStrictEqual([
        415,
        {
          errors: [
            {
              message: 'The body must be JSON, with the Content-Type application/json.',
              extensions: { code: 'UnsupportedMediaType', http: { status: 415 } },
            },
          ],
        },
      ]);
      expect(gateway.upstream.requests.length).toBe(before);
    },
  );

  it('is needed for a mutation', async () => {
    const query = encodeURIComponent('mutation { createPost(input: { title: "x" }) { id } }');
    const before = gateway.upstream.requests.length;
    const headers = { host: host() };
    expect((await ask({ method: 'GET', path: `/graphql?query=${query}`, headers })).status).toBe(405);
    expect(gateway.upstream.requests.length).toBe(before);
  });
});
