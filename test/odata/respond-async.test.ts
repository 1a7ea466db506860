import { beforeEach, describe, expect, it } from 'vitest';
import { ACCESS, bearer, type SignedIn, signUp } from '../auth/account-client.ts';
import { POSTS, useGateway } from '../support/running-gateway.ts';
import type { Reply } from '../support/stand-in-upstream.ts';

const gateway = useGateway({ ...ACCESS });

/** Replies that the upstream has not given yet, oldest first. */
let waiting: Reply[];
beforeEach(() => {
  waiting = [];
  gateway.upstream.behave((_, reply) => waiting.push(reply));
});

let users = 0;
const newUser = (): Promise<SignedIn> => signUp(gateway, `user-${users++}@example.com`);

interface AsyncRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ask = ({ session }: SignedIn, url: string, { headers, ...init }: AsyncRequest = {}) =>
  gateway.fetch(url.replace(gateway.url, ''), { ...init, headers: { ...bearer(session), ...headers } });

const later = (user: SignedIn, path: string, { headers, ...asked }: AsyncRequest = {}) =>
  ask(user, `/odata${path}`, { ...asked, headers: { prefer: 'respond-async', ...headers } });

/** Has the upstream answer the oldest request. */
async function reply(give: (reply: Reply) => void): Promise<void> {
  await expect.poll(() => waiting.length).toBeGreaterThan(0);
  const [oldest] = waiting.splice(0, 1);
  if (oldest !== undefined) give(oldest);
}

const done = (user: SignedIn, monitor: string, headers: Record<string, string> = {}) =>
  expect
    .poll(async () => (await ask(user, monitor, { headers })).status, { timeout: 5_000 })
    .toBe(200)
    .then(() => ask(user, monitor, { headers }));

describe('a request that is answered later (Part 1, 8.2.8.8 and 11.6)', () => {
  it.each(['respond-async', 'odata.respond-async', 'return=minimal, Respond-Async'])(
    'is accepted: Prefer: %s',
    async (prefer) => {
      const user = await newUser();
      const { status, headers, text } = await later(user, '/Post', { headers: { prefer } });
      expect([status, text, headers.get('odata-version'), headers.get('retry-after')]).toStrictEqual([
        202,
        '',
        '4.0',
        '1',
      ]);
      expect(headers.get('preference-applied')?.toLowerCase()).toContain('respond-async');
      expect(headers.get('location')).toMatch(/\/odata\/status-[\w-]{32}$/);
      await reply((upstream) => upstream.json(POSTS));
    },
  );

  it('is worked on until its answer is there, as a message in 4.0', async () => {
    const user = await newUser();
    const monitor = String((await later(user, '/Post?$top=1&$select=Id')).headers.get('location'));
    const early = await ask(user, monitor);
    expect([early.status, early.headers.get('location'), early.text]).toStrictEqual([202, monitor, '']);
    await reply((upstream) => upstream.json(POSTS));
    const { headers, text } = await done(user, monitor);
    expect([headers.get('content-type'), headers.get('odata-version')]).toStrictEqual([
      'application/http',
      '4.0',
    ]);
    const body = `{"@odata.context":"${gateway.url}/odata/$metadata#Post(Id)","value":[{"Id":"1"}]}`;
    expect(text.replace(/^ETag: W\/"[\w-]+"\r\n/m, '')).toBe(
      [
        'HTTP/1.1 200 OK',
        'Content-Type: application/json;odata.metadata=minimal',
        'Cache-Control: private, no-cache',
        'OData-Version: 4.0',
        'Vary: accept, odata-maxversion, prefer',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
  });

  it('is answered as it is in 4.01, with its status in AsyncResult', async () => {
    const user = await newUser();
    const v401 = { 'odata-maxversion': '4.01' };
    const create = { method: 'POST', body: '{"title":"x"}' };
    const headers = { ...v401, 'content-type': 'application/json' };
    const monitor = String((await later(user, '/Post', { ...create, headers })).headers.get('location'));
    await reply((upstream) => upstream.send(201, '{"id":101,"title":"x"}'));
    const answer = await done(user, monitor, v401);
    expect(answer.headers.get('asyncresult')).toBe('201');
    expect(answer.headers.get('location')).toBe(`${gateway.url}/odata/Post('101')`);
    expect(answer.headers.get('content-type')).toBe('application/json;metadata=minimal');
    expect(JSON.parse(answer.text)).toMatchObject({ Id: '101', Title: 'x' });
    const message = await done(user, monitor, { ...v401, accept: 'application/http' });
    expect(message.headers.get('asyncresult')).toBeNull();
    expect(message.text.split('\r\n')[0]).toBe('HTTP/1.1 201 Created');
  });

  it('may fail, like any other', async () => {
    const user = await newUser();
    const monitor = String((await later(user, '/Post')).headers.get('location'));
    await reply((upstream) => upstream.send(200, 'no JSON'));
    const { text } = await done(user, monitor);
    expect(text.split('\r\n')[0]).toBe('HTTP/1.1 502 Bad Gateway');
    expect(text).toContain('"code":"UpstreamBadResponse"');
  });

  it('goes on to be asked for until somebody cancels it', async () => {
    const user = await newUser();
    const monitor = String((await later(user, '/Post')).headers.get('location'));
    await expect.poll(() => waiting.length).toBe(1);
    const open = gateway.upstream.requests.at(-1);
    expect((await ask(user, monitor, { method: 'DELETE' })).status).toBe(204);
    await open?.closed;
    expect((await ask(user, monitor)).status).toBe(404);
    expect((await ask(user, monitor, { method: 'DELETE' })).status).toBe(404);
  });

  it("is nobody else's", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const monitor = String((await later(user, '/Post')).headers.get('location'));
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
      expect([method, (await ask(other, monitor, { method })).status]).toStrictEqual([method, 404]);
    }
    expect((await gateway.fetch(monitor.replace(gateway.url, ''))).status).toBe(401);
    expect((await ask(user, monitor)).status).toBe(202);
    const refused = await ask(user, monitor, { method: 'PATCH' });
    expect([refused.status, refused.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD, DELETE, OPTIONS']);
    await reply((upstream) => upstream.json(POSTS));
  });
});

describe('the preference', () => {
  it.each([
    ['/Nope', 404],
    ['/Post?$filter=x', 400],
    ['/$metadata', 200],
    ['', 200],
  ])('is not needed where the answer is there at once: %s', async (path, status) => {
    const answer = await later(await newUser(), path);
    expect([answer.status, answer.headers.get('location')]).toStrictEqual([status, null]);
  });

  it('waits as long as the client does', async () => {
    const user = await newUser();
    const answer = later(user, '/Post/$count', { headers: { prefer: 'respond-async, wait=20' } });
    await reply((upstream) => upstream.json(POSTS));
    expect(await answer).toMatchObject({ status: 200, text: '4' });
  });

  it('lets nobody in who has not signed in', async () => {
    const answer = await gateway.fetch('/odata/Post', { headers: { prefer: 'respond-async' } });
    expect(answer.status).toBe(401);
  });

  it('is about a batch as a whole (11.7.6)', async () => {
    const user = await newUser();
    const body = JSON.stringify({
      requests: [{ id: '1', method: 'get', url: 'Post/$count', headers: { prefer: 'respond-async' } }],
    });
    const headers = { 'content-type': 'application/json', 'odata-maxversion': '4.01' };
    const accepted = await later(user, '/$batch', { method: 'POST', body, headers });
    expect(accepted.status).toBe(202);
    await reply((upstream) => upstream.json(POSTS));
    const monitor = String(accepted.headers.get('location'));
    const { text } = await done(user, monitor, { 'odata-maxversion': '4.01' });
    expect(JSON.parse(text).responses).toMatchObject([{ id: '1', status: 200, body: '4' }]);
  });

  it('is left aside where a user has too many requests under way', async () => {
    const user = await newUser();
    // Each of another entity: reads of one share their GET.
    const monitors = await Promise.all(
      Array.from({ length: 16 }, (_, index) => later(user, `/Post('${index}')`)),
    );
    expect(monitors.map(({ status }) => status)).toStrictEqual(monitors.map(() => 202));
    const answer = later(user, '/Post/$count');
    await expect.poll(() => waiting.length).toBe(17);
    for (const upstream of waiting) upstream.json(POSTS);
    expect(await answer).toMatchObject({ status: 200, text: '4' });
  });
});
