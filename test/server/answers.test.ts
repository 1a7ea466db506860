import { describe, expect, it } from 'vitest';
import type { GatewayResponse } from '../../src/contract/exchange.ts';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import type { Route } from '../../src/server/route.ts';
import { sendRequest } from './raw-client.ts';
import { echo, protocolPart, runServer, text } from './running-server.ts';
import { useWebBuild } from './web-build.ts';

const SECURITY = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];
const ALWAYS = [...SECURITY, 'connection', 'content-length', 'content-type', 'date', 'x-request-id'];

async function ask(part: Route, line = 'GET /odata', headers?: string[]) {
  const { port } = await runServer([part]);
  return sendRequest(port, line, headers);
}

describe('an answer', () => {
  it('has the header fields of helmet and of the part, its length and nothing of Express', async () => {
    const { headers } = await ask(protocolPart());
    expect(Object.keys(headers).sort()).toStrictEqual([...ALWAYS].sort());
  });

  it('tells browsers to come by https only where the public URL is https', async () => {
    const { port } = await runServer([protocolPart()], { secure: true });
    const { headers } = await sendRequest(port, 'GET /odata');
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    expect(headers['content-security-policy']).toContain('upgrade-insecure-requests');
    expect((await ask(protocolPart())).headers['content-security-policy']).not.toContain('upgrade');
  });

  it.each<[string, GatewayResponse, string, string | undefined]>([
    ['a text in UTF-8', { status: 200, headers: {}, body: 'Grüße' }, 'Gr\xc3\xbc\xc3\x9fe', '7'],
    ['bytes', { status: 200, headers: {}, body: new Uint8Array([0, 255]) }, '\0\xff', '2'],
    ['no body', { status: 200, headers: {}, body: undefined }, '', '0'],
    ['an empty text', { status: 201, headers: {}, body: '' }, '', '0'],
    ['204', { status: 204, headers: {}, body: undefined }, '', undefined],
    ['304', { status: 304, headers: {}, body: undefined }, '', undefined],
  ])('carries %s', async (_, response, body, length) => {
    const answer = await ask(protocolPart(() => response));
    expect([answer.status, answer.body, answer.headers['content-length']]).toStrictEqual([
      response.status,
      body,
      length,
    ]);
  });

  it("replaces the server's header fields by the part's, and those by the answer's", async () => {
    const part: Route = {
      path: '/odata',
      headers: { 'content-security-policy': "default-src 'none'", 'x-frame-options': 'DENY' },
      handler: () => ({ ...text(''), headers: { 'x-frame-options': 'SAMEORIGIN' } }),
    };
    const { headers } = await ask(part);
    expect([headers['content-security-policy'], headers['x-frame-options']]).toStrictEqual([
      "default-src 'none'",
      'SAMEORIGIN',
    ]);
  });

  it('gives HEAD what GET gets, without the body, and does not tell the part', async () => {
    const { port } = await runServer([protocolPart()]);
    const [get, head] = [await sendRequest(port, 'GET /odata/x'), await sendRequest(port, 'HEAD /odata/x')];
    const lasting = ({ date, 'x-request-id': id, ...headers }: Readonly<Record<string, string>>) => headers;
    expect(head.body).toBe('');
    expect(lasting(head.headers)).toStrictEqual(lasting(get.headers));
    expect(JSON.parse(get.body)).toStrictEqual({ method: 'GET', target: '/x' });
  });

  it('names the request as the client did, if that is a name', async () => {
    const ids = await Promise.all(
      ['a.b-C:1', 'x'.repeat(65), 'a b', '"><script>'].map(async (id) => {
        const part = protocolPart((request) => text(String(request.headers['x-request-id'] === request.id)));
        const { headers, body } = await ask(part, 'GET /odata', ['Host: x', `X-Request-Id: ${id}`]);
        return [headers['x-request-id'] === id, body];
      }),
    );
    expect(ids).toStrictEqual([
      [true, 'true'],
      [false, 'true'],
      [false, 'true'],
      [false, 'true'],
    ]);
  });
});

describe('an error', () => {
  it("that a part throws is put into the part's protocol", async () => {
    const part = protocolPart(() => {
      throw new GatewayError('Conflict', 'It is there already.');
    });
    const { status, body } = await ask(part);
    expect([status, body]).toStrictEqual([409, 'protocol: Conflict: It is there already.']);
  });

  it('of our own is logged with its cause and hidden', async () => {
    const { url, entries } = await runServer([
      protocolPart(() => Promise.reject(new TypeError('secret 1234'))),
    ]);
    const answer = await fetch(`${url}/odata`);
    expect([answer.status, await answer.text()]).toStrictEqual([
      500,
      'protocol: InternalError: The gateway failed to answer this request.',
    ]);
    expect(entries()).toContainEqual(
      expect.objectContaining({
        level: 'error',
        id: answer.headers.get('x-request-id'),
        code: 'InternalError',
        err: expect.objectContaining({ type: 'TypeError', message: 'secret 1234' }),
      }),
    );
  });

  it('has header fields where a part has no shape for it', async () => {
    const part: Route = {
      path: '/odata',
      handler: () => {
        throw new GatewayError('Overloaded', 'Too much to do.', { headers: { 'retry-after': '7' } });
      },
    };
    const { status, headers, body } = await ask(part);
    expect([status, headers['retry-after'], JSON.parse(body)]).toStrictEqual([
      503,
      '7',
      { error: { code: 'Overloaded', message: 'Too much to do.' } },
    ]);
  });

  it('in the writing of an error is answered all the same', async () => {
    const part: Route = {
      ...protocolPart(() => Promise.reject(new Error('one'))),
      errorResponse: () => {
        throw new Error('two');
      },
    };
    const { port, entries } = await runServer([part]);
    const { status } = await sendRequest(port, 'GET /odata');
    const logged = entries().filter((entry) => entry['level'] === 'error');
    expect(status).toBe(500);
    expect(logged.map((entry) => entry['err'])).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });

  it.each<[string, GatewayResponse]>([
    ['a line break in a header field', { ...text(''), headers: { location: 'a\r\nset-cookie: b' } }],
    ['a header field without a name', { ...text(''), headers: { '': 'x' } }],
    ['a status that is none', { ...text(''), status: 42 }],
  ])('is what %s becomes', async (_, response) => {
    const { status, headers, body } = await ask(protocolPart(() => response));
    expect([status, headers['set-cookie'], body]).toStrictEqual([
      500,
      undefined,
      'protocol: InternalError: The gateway failed to answer this request.',
    ]);
  });
});

describe('the principal', () => {
  const whoAmI = protocolPart((request) => text(JSON.stringify(request.principal)));

  it.each([
    ['Bearer good', 200, '{"kind":"user","id":"1","roles":["User"]}'],
    ['Bearer bad', 401, 'protocol: Unauthorized: The token is no good.'],
  ])('is what the authentication makes of %s', async (credential, status, body) => {
    const { port } = await runServer([whoAmI], {
      authenticate: async ({ headers }) => {
        if (headers['authorization'] === 'Bearer good') return { kind: 'user', id: '1', roles: ['User'] };
        throw new GatewayError('Unauthorized', 'The token is no good.');
      },
    });
    const answer = await sendRequest(port, 'GET /odata', ['Host: x', `Authorization: ${credential}`]);
    expect([answer.status, answer.body]).toStrictEqual([status, body]);
  });

  it('is not asked for where a part is open, nor by health, the screens and what is not there', async () => {
    const { url } = await runServer([{ path: '/open', open: true, handler: echo }], {
      authenticate: () => {
        throw new GatewayError('Unauthorized', 'No.');
      },
      web: useWebBuild(),
    });
    const answers = await Promise.all(
      ['/open', '/health/live', '/app', '/none', '/'].map((path) => fetch(url + path)),
    );
    expect(answers.map((answer) => answer.status)).toStrictEqual([200, 200, 200, 404, 401]);
  });
});
