import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { createDeltaTokens } from '../../src/odata/operations/tokens/paging.ts';
import { openFaces, requestOf } from '../auth/faces.ts';
import { useGateway } from '../support/running-gateway.ts';

const FEED = `paths:
  /posts/changes:
    get:
      operationId: postChanges
      x-odata: { since: since, items: posts, removed: gone, next: next }
      parameters: [{ name: since, in: query, schema: { type: string } }]
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                properties:
                  posts: { type: array, items: { $ref: "#/components/schemas/Post" } }
                  gone: { type: array, items: { type: object, properties: { id: { type: integer } } } }
                  next: { type: string }
`;
const POSTS = readFileSync(join(import.meta.dirname, '../../openapi/posts.yaml'), 'utf8')
  .replace('paths:\n', FEED)
  .replace('entitySet: Post', 'entitySet: Post\n        changes: postChanges');

const project = mkdtempSync(join(tmpdir(), 'changes-'));
writeFileSync(join(project, 'posts.yaml'), POSTS);
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Posts\n    handler:\n      openapi:\n        source: ./posts.yaml\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });

/** Follows the delta link of a read, with the given response of the upstream. */
async function follow(status: number, answer: object) {
  gateway.upstream.behave(({ target }, reply) => {
    if (target === '/posts/changes') reply.json({ posts: [], gone: [], next: 'a/b c' });
    else if (target === '/posts') reply.json([]);
    else reply.send(status, JSON.stringify(answer));
  });
  const first = await gateway.fetch('/odata/Post', { headers: { prefer: 'track-changes' } });
  const link: string = JSON.parse(first.text)['@odata.deltaLink'];
  const { status: found, text } = await gateway.fetch(link.replace(gateway.url, ''));
  return { status: found, json: JSON.parse(text), asked: gateway.upstream.requests.at(-1)?.target };
}

describe('the changes of an upstream', () => {
  it('are asked for by its own token, and tell keys in objects', async () => {
    const { status, json, asked } = await follow(200, {
      posts: [{ id: 3, title: 'x' }],
      gone: [{ id: 7 }],
      next: 'c',
    });
    expect([status, asked]).toStrictEqual([200, '/posts/changes?since=a%2Fb%20c']);
    expect(json.value).toStrictEqual([
      {
        '@odata.context': `${gateway.url}/odata/$metadata#Post/$deletedEntity`,
        id: "Post('7')",
        reason: 'deleted',
      },
      { UserId: null, Id: '3', Title: 'x', Body: null },
    ]);
  });

  it.each([400, 410, 422])('that it does not know any more, by %i, are gone', async (status) => {
    const answer = await follow(status, {});
    expect([answer.status, answer.json]).toStrictEqual([
      410,
      {
        error: {
          code: 'Gone',
          message: '$deltatoken: the changes since then are no longer known; read the collection again.',
          target: '$deltatoken',
        },
      },
    ]);
  });

  it('are gone to a token in the form of an earlier version of the gateway', async () => {
    const key = 'the same key';
    const faces = await openFaces('Posts', parse(POSTS), (_, reply) => reply.json([]), {}, key);
    const tokens = createDeltaTokens({ key, root: 'http://x/odata' });
    const link = tokens.linkSince('/Post', 'a state of one feed').replace('http://x/odata', '');
    const { status, body } = await faces.odata(requestOf(UNRESTRICTED, `GET ${link}`));
    expect([status, JSON.parse(String(body)).error.code]).toStrictEqual([410, 'Gone']);
    expect(faces.calls()).toBe(0);
    await faces.close();
  });

  it.each([
    ['has no next token', { posts: [], gone: [] }],
    ['has a key that is none', { posts: [], gone: [{}], next: 'c' }],
    ['has no list', { posts: 7, gone: [], next: 'c' }],
  ])('cannot be used where the answer %s', async (_, answer) => {
    const { status, json } = await follow(200, answer);
    expect([status, json.error.code]).toStrictEqual([502, 'UpstreamBadResponse']);
  });
});
