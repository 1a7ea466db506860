import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCESS, bearer, signUp } from '../auth/account-client.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { ownAddress } from '../support/own-name.ts';
import { postsApi, type RunningGateway, useGateway } from '../support/running-gateway.ts';
import { HAS_BROWSER, useBrowser } from './browser.ts';

/** A foreign app: empty pages with another origin. */
async function startApp(): Promise<string> {
  const app = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>An app</title>');
  }).listen(0, '127.0.0.1');
  await once(app, 'listening');
  atEndOfFile(() => void app.close());
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
}

const listed = await startApp();
const unlisted = await startApp();
const browser = useBrowser();
const gateway = useGateway({ ...ACCESS, CORS_ORIGINS: listed });
const open = useGateway({ ...ACCESS, CORS_ORIGINS: '*' });

beforeEach(() => {
  for (const { upstream } of [gateway, open]) upstream.behave(postsApi);
});

/** The request of a page; `cookie` is the browser's cookie for the gateway. */
interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly credentials?: 'include';
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string;
}

/** The part of the response that the page can read, and the number of upstream calls. */
async function ask(app: string, { url, upstream }: RunningGateway, { path, cookie, ...init }: Sent) {
  const before = upstream.requests.length;
  const { page } = await browser.open(app);
  const [name = '', value = ''] = cookie?.split('=') ?? [];
  if (cookie !== undefined) await page.context().addCookies([{ name, value, url }]);
  await page.goto('/');
  const shown = await page.evaluate(
    ([target, request]) =>
      fetch(target, request).then(
        async (answer) => ({
          status: answer.status,
          version: answer.headers.get('odata-version'),
          body: await answer.json(),
        }),
        String,
      ),
    [`${url}${path}`, init] as const,
  );
  return { shown, calls: upstream.requests.length - before };
}

const QUERY: Sent = {
  path: '/graphql',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"query":"{ post(id: \\"1\\") { title } }"}',
};
const ENTITY: Sent = { path: "/odata/Post('1')?$select=Title" };
const CREATE: Sent = {
  path: '/odata/Post',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"Title":"New"}',
};

const answered = ({ url }: RunningGateway) => ({
  entity: {
    status: 200,
    version: '4.0',
    body: {
      '@odata.context': `${url}/odata/$metadata#Post(Title)/$entity`,
      '@odata.id': "Post('1')",
      Title: 'Cedar',
    },
  },
  graphql: { status: 200, version: null, body: { data: { post: { title: 'Cedar' } } } },
});
const MESSAGE = 'The Origin header must name this service.';
const REFUSED = {
  odata: { code: 'Forbidden', message: MESSAGE, target: 'Origin' },
  graphql: { message: MESSAGE, extensions: { code: 'Forbidden', http: { status: 403 } } },
};
const HIDDEN = 'TypeError: Failed to fetch';

describe.skipIf(!HAS_BROWSER)('a page of another origin', () => {
  it('asks with a token, if its origin is listed: the browser asks beforehand', async () => {
    const { session } = await signUp(gateway, ownAddress('token'));
    for (const [asked, expected] of [
      [ENTITY, answered(gateway).entity],
      [QUERY, answered(gateway).graphql],
    ] as const) {
      const request = { ...asked, headers: { ...asked.headers, ...bearer(session) } };
      expect(await ask(listed, gateway, request)).toStrictEqual({ shown: expected, calls: 1 });
      expect(await ask(unlisted, gateway, request)).toStrictEqual({ shown: HIDDEN, calls: 0 });
    }
  });

  it("reads with its user's cookie, if its origin is listed, and changes nothing with it", async () => {
    const { cookie } = await signUp(gateway, ownAddress('cookie'));
    const including = { cookie, credentials: 'include' } as const;
    expect(await ask(listed, gateway, { ...ENTITY, ...including })).toStrictEqual({
      shown: answered(gateway).entity,
      calls: 1,
    });
    expect(await ask(unlisted, gateway, { ...ENTITY, ...including })).toStrictEqual({
      shown: HIDDEN,
      calls: 1,
    });
    for (const [changing, refusal] of [
      [CREATE, { status: 403, version: '4.0', body: { error: REFUSED.odata } }],
      [QUERY, { status: 403, version: null, body: { errors: [REFUSED.graphql] } }],
    ] as const) {
      const request = { ...changing, ...including };
      expect(await ask(listed, gateway, request)).toStrictEqual({ shown: refusal, calls: 0 });
      expect(await ask(unlisted, gateway, request)).toStrictEqual({ shown: HIDDEN, calls: 0 });
    }
  });

  it('asks with a token where all origins are listed, and with no cookie', async () => {
    const { session, cookie } = await signUp(open, ownAddress('open'));
    const headers = bearer(session);
    expect(await ask(unlisted, open, { ...ENTITY, headers })).toStrictEqual({
      shown: answered(open).entity,
      calls: 1,
    });
    const including = { ...ENTITY, cookie, credentials: 'include' } as const;
    expect(await ask(unlisted, open, including)).toStrictEqual({ shown: HIDDEN, calls: 1 });
  });
});
