import { describe, expect, it } from 'vitest';
import type { Landing } from '../../src/contract/landing.ts';
import { sendRequest } from './raw-client.ts';
import { EMPTY_LANDING, echo, runServer, text } from './running-server.ts';

const MOUNTS = ['/odata', '/odata/deep', '/app'];

/** Request target → the mount that serves it, and what is left of the target. */
const TARGETS: readonly (readonly [string, string | undefined, string?])[] = [
  ['/odata', '/odata', ''],
  ['/odata/', '/odata', '/'],
  ['/odata/Post', '/odata', '/Post'],
  ['/odata/%', '/odata', '/%'],
  ['/odata/%C0%AE', '/odata', '/%C0%AE'],
  ["/odata/Post('a%2Fb')?$top=1", '/odata', "/Post('a%2Fb')?$top=1"],
  ['/odata//x', '/odata', '//x'],
  ['/odata/../app', '/odata', '/../app'],
  ['/odata/%2e%2e/app', '/odata', '/%2e%2e/app'],
  ['/odata?x', '/odata', '?x'],
  ['/odata?x=/app', '/odata', '?x=/app'],
  ['/odata#x', '/odata', '#x'],
  ['/odata/deep', '/odata/deep', ''],
  ['/odata/deeper', '/odata', '/deeper'],
  ['/odata/deep/x', '/odata/deep', '/x'],
  ['http://evil.example/odata/x?y', '/odata', '/x?y'],
  ['HTTP://evil.example:99999/odata', '/odata', ''],
  ['http://evil.example/x', undefined],
  ['/odatax', undefined],
  ['/Odata', undefined],
  ['/%6fdata', undefined],
  ['//odata', undefined],
  ['/x/odata', undefined],
  ['//]@xn--/#', undefined],
  ['//a@b:99999999/#', undefined],
  ['/health', undefined],
  ['/health/live/x', undefined],
  ['/health/__proto__', undefined],
  ['*', undefined],
];

describe('the request target', () => {
  it.each(TARGETS)('%s reaches %s as it was sent', async (target, mount, rest) => {
    const { port } = await runServer(
      MOUNTS.map((path) => ({
        path,
        handler: (request) => ({ ...echo(request), headers: { mount: path } }),
      })),
      { logLevel: 'silent' },
    );
    const method = target === '*' ? 'OPTIONS' : 'GET';
    const { status, headers, body } = await sendRequest(port, `${method} ${target}`);
    if (mount === undefined) {
      expect([status, JSON.parse(body)]).toStrictEqual([
        404,
        {
          error: {
            code: 'NotFound',
            message: 'There is nothing at this path. What is served is listed at /.',
          },
        },
      ]);
    } else {
      expect([status, headers['mount'], JSON.parse(body).target]).toStrictEqual([200, mount, rest]);
    }
  });
});

describe('replaceRoutes', () => {
  const LANDING: Landing = { ...EMPTY_LANDING, title: 'Another' };

  it('serves other parts and another landing page from then on', async () => {
    const { url, server } = await runServer([{ path: '/old', handler: echo }]);
    await server.replaceRoutes([{ path: '/new', handler: echo }], () => LANDING);
    const answers = await Promise.all(['/old', '/new', '/health/live'].map((path) => fetch(url + path)));
    expect(answers.map((answer) => answer.status)).toStrictEqual([404, 200, 200]);
    expect(await (await fetch(url)).json()).toStrictEqual(LANDING);
  });

  it('lets the earlier parts answer what they have taken, and says when they have', async () => {
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const handler = async () => {
      reached.resolve();
      await held.promise;
      return text('old');
    };
    const { url, server } = await runServer([{ path: '/part', handler }]);
    const first = fetch(`${url}/part`);
    await reached.promise;
    let isOver = false;
    const over = server
      .replaceRoutes([{ path: '/part', handler: () => text('new') }], () => LANDING)
      .then(() => {
        isOver = true;
      });
    expect(await (await fetch(`${url}/part`)).text()).toBe('new');
    expect(isOver).toBe(false);
    held.resolve();
    expect(await (await first).text()).toBe('old');
    await over;
  });
});
