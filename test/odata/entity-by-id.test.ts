import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();
beforeEach(() => gateway.upstream.behave(postsApi));

/** The URL of the service's root is written as `~`. */
async function ask(method: string, target: string) {
  const root = `${gateway.url}/odata`;
  const { status, headers, text } = await gateway.fetch(`/odata/${target}`, { method });
  return { status, allow: headers.get('allow'), body: text.replaceAll(root, '~') };
}

/** The `$entity` of that entity-id. */
function byId(id: string, options = '', cast = ''): string {
  return `$entity${cast}?$id=${encodeURIComponent(id.replace('~', `${gateway.url}/odata`))}${options}`;
}

function mistake(status: number, code: string, message: string, target?: string) {
  return { status, allow: null, body: JSON.stringify({ error: { code, message, target } }) };
}

describe('Part 2, 4.4: an entity by its id', () => {
  it.each([
    "Post('1')",
    "Post(Id='1')",
    'Post/1',
    "/odata/Post('1')",
    '/odata/Post/1',
    "~/Post('1')",
    '~/Post/1',
    'Post(%271%27)',
  ])('is found by %s', async (id) => {
    expect(await ask('GET', byId(id))).toStrictEqual(await ask('GET', "Post('1')"));
    expect(await ask('GET', byId(id, '', '/Posts.Post'))).toStrictEqual(
      await ask('GET', "Post('1')/Posts.Post"),
    );
  });

  it.each(['&$select=Title', '&select=Title,UserId&$format=json', '&$compute=length(Title) as L&$select=L'])(
    'takes the options of an entity: %s',
    async (options) => {
      const found = await ask('GET', byId("Post('1')", options, '/Posts.Post'));
      expect(found.status).toBe(200);
      expect(found).toStrictEqual(await ask('GET', `Post('1')/Posts.Post?${options.slice(1)}`));
    },
  );

  it.each(['HEAD', 'OPTIONS', 'POST', 'PATCH', 'DELETE'])('answers %s as the entity does', async (method) => {
    expect(await ask(method, byId("Post('1')"))).toStrictEqual(await ask(method, "Post('1')"));
  });

  it.each([
    "http://elsewhere.example/odata/Post('1')",
    "//elsewhere.example/odata/Post('1')",
    "urn://Post('1')",
    "/Post('1')",
    "/data/Post('1')",
    '~',
    "Post('1')?$select=Id",
    "$entity?$id=Post('1')",
    '$metadata',
  ])('is not %s', async (id) => {
    const found = id.replace('~', `${gateway.url}/odata`);
    const message = `$id: expected the entity-id of an entity of this service, found ${JSON.stringify(found)}.`;
    const { body } = mistake(400, 'BadRequest', message, '$id');
    expect(await ask('GET', byId(id))).toStrictEqual({
      status: 400,
      allow: null,
      body: body.replaceAll(`${gateway.url}/odata`, '~'),
    });
  });

  it.each(['Post', "Post('1')/Title", "Post('1')/$ref", 'Post/$count'])(
    'is not what is no single entity: %s',
    async (id) => {
      const message = `$id: expected the entity-id of a single entity, found ${JSON.stringify(id)}.`;
      expect(await ask('GET', byId(id))).toStrictEqual(mistake(400, 'BadRequest', message, '$id'));
    },
  );

  it.each([
    ["$entity?$id=Post('7')", mistake(404, 'NotFound', "There is no Post('7').")],
    ["$entity?$id=Nope('1')", mistake(404, 'NotFound', 'There is no resource "Nope" here.')],
    [
      "$entity/Posts.Nope?$id=Post('1')",
      mistake(400, 'BadRequest', '$id: expected an entity of Posts.Nope.', '$id'),
    ],
    [
      "$entity?$id=Post('1')&$filter=true",
      mistake(400, 'BadRequest', '$filter does not apply to a single entity', '$filter'),
    ],
    ['$entity', mistake(400, 'BadRequest', '$id: expected with $entity, found no such option', '$id')],
  ])('GET %s', async (target, answer) => {
    expect(await ask('GET', target)).toStrictEqual(answer);
  });
});
