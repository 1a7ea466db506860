import { beforeEach, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { useGateway } from '../support/running-gateway.ts';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { SHOP_DOCUMENT } from './structural.document.ts';

const project = createProject(
  {
    'shop.json': JSON.stringify(SHOP_DOCUMENT),
    '.meshrc.yaml': `sources:\n${sourceOf('Shop', './shop.json', '{env.UPSTREAM_URL}')}`,
  },
  atEndOfFile,
);
const gateway = useGateway({ MESH_CONFIG: project.path('.meshrc.yaml') });

const PRODUCT = {
  id: 'a',
  tags: ['x', 'y'],
  sizes: ['b/w', 'green'],
  parts: [{ serial: 1, parts: [{ serial: 2, colour: null }, { serial: 3 }] }],
};

beforeEach(() =>
  gateway.upstream.behave(({ target }, reply) => {
    if (target === '/products/a') reply.json(PRODUCT);
    else if (target === '/products/b') reply.json({ id: 'b' });
    else reply.send(404, '{}');
  }),
);

/** The URL of the service's root is written as `~`. */
async function ask(call: string): Promise<readonly [number, string]> {
  const [method = '', target = ''] = call.split(/ (.*)/);
  const { status, headers, text } = await gateway.fetch(`/odata/${target}`, { method });
  const allow = headers.get('allow');
  return [status, allow === null ? text.replaceAll(`${gateway.url}/odata`, '~') : allow];
}

function mistake(code: string, message: string, target?: string): string {
  return JSON.stringify({ error: { code, message, target } });
}

const missing = (url: string) => [404, mistake('NotFound', `There is no ${url}.`)] as const;

describe('Part 2, 4.10: an item of a collection by its place', () => {
  it.each([
    ["Product('a')/Tags/0", `{"@odata.context":"~/$metadata#Product('a')/Tags/0","value":"x"}`],
    ["Product('a')/Tags/1", `{"@odata.context":"~/$metadata#Product('a')/Tags/1","value":"y"}`],
    ["Product('a')/Tags/-1", `{"@odata.context":"~/$metadata#Product('a')/Tags/-1","value":"y"}`],
    ["Product('a')/Tags/-2/$value", 'x'],
    ["Product('a')/Sizes/0/$value", 'b_w'],
    [
      "Product('a')/Parts/0?$select=Serial",
      `{"@odata.context":"~/$metadata#Product('a')/Parts/0(Serial)","Serial":1}`,
    ],
    [
      "Product('a')/Parts/0/Parts/-1?$compute=Serial mul 2 as Twice&$select=Serial,Twice",
      `{"@odata.context":"~/$metadata#Product('a')/Parts/0/Parts/-1(Serial,Twice)","Serial":3,"Twice":6}`,
    ],
    ["Product('a')/Parts/0/Parts/1/Serial/$value", '3'],
    ["Product('a')/Parts/0/Parts/$count", '2'],
  ])('GET %s', async (target, body) => {
    expect(await ask(`GET ${target}`)).toStrictEqual([200, body]);
  });

  it.each([
    ["GET Product('a')/Parts/0/Parts/0/Colour", [204, '']],
    ["GET Product('a')/Tags/2", missing("Product('a')/Tags/2")],
    ["GET Product('a')/Tags/-3", missing("Product('a')/Tags/-3")],
    ["GET Product('a')/Tags/99999999999999999999/$value", missing("Product('a')/Tags/99999999999999999999")],
    ["GET Product('a')/Parts/1/Serial", missing("Product('a')/Parts/1/Serial")],
    ["GET Product('b')/Tags/0", missing("Product('b')/Tags/0")],
    ["GET Product('c')/Tags/0", missing("Product('c')")],
    ["GET Product('a')/Tags/1.5", [404, mistake('NotFound', 'There is no resource "1.5" here.')]],
    ["GET Product('a')/Tags/0/1", [404, mistake('NotFound', 'There is no resource "1" here.')]],
    [
      "GET Product('a')/Tags/0?$top=1",
      [400, mistake('BadRequest', '$top does not apply to a single primitive value', '$top')],
    ],
    ["HEAD Product('a')/Tags/0", [200, '']],
    ["OPTIONS Product('a')/Tags/0", [204, 'GET, HEAD, OPTIONS']],
    ["PUT Product('a')/Tags/0", [405, 'GET, HEAD, OPTIONS']],
    ["DELETE Product('a')/Tags/0/$value", [405, 'GET, HEAD, OPTIONS']],
    // Entities have keys: behind a set, digits are one (4.3.6).
    ['GET Product/0', missing("Product('0')")],
  ])('%s', async (call, answer) => {
    expect(await ask(call)).toStrictEqual(answer);
  });
});

describe('a collection whose items have places (Vocabulary Core: Ordered)', () => {
  it('is said to be ordered, and nothing else is', async () => {
    const [, text] = await ask('GET $metadata?$format=json');
    const types: readonly (readonly [string, Record<string, object>])[] = Object.entries(
      JSON.parse(text).Shop,
    );
    const properties = types.flatMap(([type, members]) =>
      Object.entries(members).map(([name, member]) => [`${type}/${name}`, member] as const),
    );
    const ordered = properties.filter(([, member]) => Object.hasOwn(member, '@Core.Ordered'));
    const [, xml] = await ask('GET $metadata');
    expect(ordered.map(([name]) => name)).toStrictEqual([
      'Part/Parts',
      'Product/Sizes',
      'Product/Tags',
      'Product/Parts',
    ]);
    expect(xml.split('<Annotation Term="Core.Ordered" Bool="true"/>')).toHaveLength(ordered.length + 1);
  });
});
