import { afterEach, describe, expect, it } from 'vitest';
import { ACCESS, bearer, signUp, tokenOf } from '../auth/account-client.ts';
import { sendRaw } from '../server/raw-client.ts';
import { POSTS, postsApi, type RunningGateway, useGateway } from '../support/running-gateway.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';

/** An API that delays its responses until they are released. */
function withheld() {
  const answers: (() => void)[] = [];
  const behaviour: Behaviour = (request, reply) => answers.push(() => postsApi(request, reply));
  return {
    behaviour,
    waiting: () => answers.length,
    /** Answers what has come first. */
    answer: () => answers.shift()?.(),
    answerAll() {
      for (const answer of answers.splice(0)) answer();
    },
  };
}

const API = withheld();

afterEach(() => API.answerAll());

/** Each key is a call of its own. */
const post = (gateway: RunningGateway, key: number, headers: Record<string, string> = {}) =>
  gateway.fetch(`/odata/Post('${key}')`, { headers });

describe('more requests than are worked on at once', () => {
  const gateway = useGateway({ REQUESTS_AT_ONCE: '2', UPSTREAM_SHARED_READS: 'off' });

  it('are refused with an answer that says when to ask again, on a connection that is closed', async () => {
    gateway.upstream.behave(API.behaviour);
    const admitted = [post(gateway, 1), post(gateway, 2)];
    await expect.poll(API.waiting).toBe(2);
    const { status, headers, text } = await post(gateway, 3);
    expect(status).toBe(503);
    expect(JSON.parse(text)).toStrictEqual({
      error: {
        code: 'Overloaded',
        message: 'The gateway has too many requests in progress: try again later (REQUESTS_AT_ONCE).',
      },
    });
    expect(headers.get('connection')).toBe('close');
    expect(headers.get('retry-after')).toMatch(/^[1-5]$/);
    expect(API.waiting()).toBe(2);
    expect((await gateway.fetch('/health/live')).status).toBe(200);
    API.answerAll();
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200]);
    gateway.upstream.behave(postsApi);
    expect((await post(gateway, 3)).status).toBe(200);
  });
});

describe('a connection', () => {
  const gateway = useGateway({ UPSTREAM_SHARED_READS: 'off', CONNECTION_REQUESTS: '3' });
  const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map((found) => found.slice(-3));

  it('is closed behind the last of the requests that it may send', async () => {
    const text = await sendRaw(Number(new URL(gateway.url).port), line('/health/live').repeat(3));
    expect(statuses(text)).toEqual(['200', '200', '200']);
    expect(text.match(/connection: (?:close|keep-alive)/gi)?.at(-1)).toMatch(/close/i);
  });
});

describe('a connection that sends many requests before it is answered', () => {
  const gateway = useGateway({ UPSTREAM_SHARED_READS: 'off' });

  it('is closed, and those are not made that were too many', async () => {
    gateway.upstream.behave(API.behaviour);
    const request = `GET /odata/Post('1') HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    await sendRaw(Number(new URL(gateway.url).port), request.repeat(3600));
    expect(gateway.upstream.requests.length).toBeLessThanOrEqual(16);
    API.answerAll();
    gateway.upstream.behave(postsApi);
    expect((await post(gateway, 3)).status).toBe(200);
  });
});

describe('one user', () => {
  const gateway = useGateway({
    ...ACCESS,
    USER_REQUESTS_AT_ONCE: '2',
    UPSTREAM_CONNECTIONS: '1',
    UPSTREAM_SHARED_READS: 'off',
  });

  async function user(name: string): Promise<Record<string, string>> {
    return bearer(await tokenOf(gateway, await signUp(gateway, `${name}@example.com`)));
  }

  it('has a share of the requests that are worked on', async () => {
    const [anna, ben] = [await user('anna'), await user('ben')];
    gateway.upstream.behave(API.behaviour);
    const admitted = [post(gateway, 1, anna), post(gateway, 2, anna)];
    await expect.poll(API.waiting).toBe(1);
    await expect.poll(async () => (await post(gateway, 3, anna)).status).toBe(429);
    const { headers, text } = await post(gateway, 3, anna);
    expect(headers.get('retry-after')).toMatch(/^[1-5]$/);
    expect(JSON.parse(text).error.message).toContain('USER_REQUESTS_AT_ONCE');
    const other = post(gateway, 3, ben);
    gateway.upstream.behave(postsApi);
    API.answerAll();
    const answers = await Promise.all([...admitted, other]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('users who wait for the API', () => {
  const gateway = useGateway({ ...ACCESS, UPSTREAM_CONNECTIONS: '1', UPSTREAM_SHARED_READS: 'off' });

  async function user(name: string): Promise<Record<string, string>> {
    return bearer(await tokenOf(gateway, await signUp(gateway, `${name}@example.com`)));
  }

  it('have their turns one after the other, however much each of them asks for', async () => {
    const [anna, ben] = [await user('anna'), await user('ben')];
    gateway.upstream.behave(API.behaviour);
    const first = post(gateway, 1, anna);
    await expect.poll(API.waiting).toBe(1);
    const keys = POSTS.map(({ id }) => id);
    const many = keys.map((key) => post(gateway, key, anna));
    // They wait in the order in which they came: an answer that needs no API says that all have.
    expect((await gateway.fetch('/odata/$metadata', { headers: anna })).status).toBe(200);
    const one = post(gateway, 10, ben);
    expect((await gateway.fetch('/odata/$metadata', { headers: ben })).status).toBe(200);
    const before = gateway.upstream.requests.length;
    gateway.upstream.behave(postsApi);
    API.answerAll();
    await Promise.all([first, ...many, one]);
    const requested = gateway.upstream.requests.slice(before).map(({ target }) => target);
    expect(requested.slice(0, 2)).toEqual(['/posts/1', '/posts/10']);
  });
});
