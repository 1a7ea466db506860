import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { freePort } from '../support/free-port.ts';

const SCRIPT = join(import.meta.dirname, '../../../shared/upstream/run-jsonplaceholder.sh');

interface UpstreamPost {
  readonly userId: number;
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

/** The first start installs the posts API. */
const INSTALL_MS = 120_000;

describe.skipIf(!existsSync(SCRIPT))('the real posts API', () => {
  let api: ChildProcess;
  let gateway: Gateway;
  let posts: readonly UpstreamPost[];

  beforeAll(async () => {
    const port = await freePort();
    api = spawn('bash', [SCRIPT], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (api.stdout === null) throw new Error('The posts API has no output.');
    await once(createInterface(api.stdout), 'line');
    const UPSTREAM_URL = `http://127.0.0.1:${port}`;
    posts = (await (await fetch(`${UPSTREAM_URL}/posts`)).json()) as UpstreamPost[];
    gateway = await startGateway(readConfig({ AUTH: 'off', PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_URL }));
  }, INSTALL_MS);

  afterAll(async () => {
    await gateway.close();
    api.kill();
    await once(api, 'exit');
  });

  const odata = async (target: string, init?: RequestInit) => {
    const response = await fetch(`${gateway.url}/odata${target}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const rename = ({ userId, id, title, body }: UpstreamPost) => ({
    UserId: userId,
    Id: String(id),
    Title: title,
    Body: body,
  });
  const graphql = async (query: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return response.json();
  };

  it('has 100 posts, all of which are listed, twice the same', async () => {
    for (let read = 0; read < 2; read++) {
      const { status, text } = await odata('/Post');
      expect(status).toBe(200);
      expect(JSON.parse(text).value).toStrictEqual(posts.map(rename));
    }
    expect((await odata('/Post/$count')).text).toBe('100');
  });

  it('is read by key', async () => {
    const { status, text } = await odata("/Post('42')");
    const { '@odata.context': _, ...entity } = JSON.parse(text);
    expect([status, entity]).toStrictEqual([200, posts.filter(({ id }) => id === 42).map(rename)[0]]);
    expect((await odata("/Post('101')")).status).toBe(404);
  });

  it('is filtered, ordered and cut into pages', async () => {
    const filter = encodeURIComponent("UserId gt 5 and contains(Title,'qui')");
    const { text } = await odata(`/Post?$filter=${filter}&$orderby=Title%20desc&$skip=1&$top=3&$count=true`);
    const expected = posts
      .filter(({ userId, title }) => userId > 5 && title.includes('qui'))
      .sort((a, b) => (a.title < b.title ? 1 : -1));
    const answer = JSON.parse(text);
    expect(answer.value).toStrictEqual(expected.slice(1, 4).map(rename));
    expect(answer['@odata.count']).toBe(expected.length);
  });

  it('numbers and echoes what is created, and keeps nothing', async () => {
    const body = '{"Title": "x", "userId": 7}';
    const headers = { 'content-type': 'application/json' };
    const answer = await odata('/Post', { method: 'POST', body, headers });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${gateway.url}/odata/Post('101')`);
    expect(JSON.parse(answer.text)).toMatchObject({ UserId: 7, Id: '101', Title: 'x', Body: null });
    expect((await odata('/Post/$count')).text).toBe('100');
  });

  it('is the same through GraphQL', async () => {
    expect(await graphql('{ posts { userId id title body } }')).toStrictEqual({
      data: { posts: posts.map((post) => ({ ...post, id: String(post.id) })) },
    });
    expect(await graphql('{ post(id: "42") { id title } }')).toStrictEqual({
      data: { post: { id: '42', title: posts[41]?.title } },
    });
    expect(await graphql('mutation { createPost(input: { title: "x" }) { id title body } }')).toStrictEqual({
      data: { createPost: { id: '101', title: 'x', body: null } },
    });
  });
});
