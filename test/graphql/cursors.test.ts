import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { askGraphQL, openFaces } from '../auth/faces.ts';
import { answer } from '../mesh/document-scene.ts';

const THING =
  '{ type: object, required: [id], properties: { id: { type: integer }, size: { type: integer } } }';
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Api', version: '1' },
  paths: parse(`
/things: { get: { operationId: things, responses: ${answer(`{ type: array, items: ${THING} }`)} } }
/things/{id}: { get: { operationId: thing, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: ${answer(THING)} } }`),
};

/** An instance of the service. */
async function openInstance(signingKey: string) {
  const things = [3, 1, 4, 2].map((id) => ({ id, size: 7 }));
  const faces = await openFaces('Api', DOCUMENT, (_, reply) => reply.json(things), {}, signingKey);
  onTestFinished(() => faces.close());
  return (after?: string) => {
    const args = `first: 2, order: [{ size: ASC }]${after === undefined ? '' : `, after: "${after}"`}`;
    const query = `{ thingsConnection(${args}) { nodes { id } pageInfo { endCursor } } }`;
    return askGraphQL(faces, UNRESTRICTED, query);
  };
}

it('a cursor leads on from instance to instance, where all sort values are equal', async () => {
  const one = await openInstance('key');
  const other = await openInstance('key');
  const { nodes, pageInfo } = (await one()).data.thingsConnection;
  expect(nodes).toEqual([{ id: '1' }, { id: '2' }]);
  expect((await other(pageInfo.endCursor)).data.thingsConnection.nodes).toEqual([{ id: '3' }, { id: '4' }]);
  const stranger = await openInstance('another key');
  const { errors } = await stranger(pageInfo.endCursor);
  expect(errors).toMatchObject([
    {
      message: 'after: expected a cursor of this list in this order, found another text.',
      extensions: { code: 'BadRequest', http: { status: 400 } },
    },
  ]);
});

it.each([
  ['ASC', ['2', '4', '1', '3']],
  ['DESC', ['3', '1', '2', '4']],
])('a cursor leads on from and to what has no value: %s', async (direction, expected) => {
  const things = [
    { id: 3, size: 8 },
    { id: 1, size: 7 },
    { id: 4, size: null },
    { id: 2, size: null },
  ];
  const faces = await openFaces('Api', DOCUMENT, (_, reply) => reply.json(things));
  onTestFinished(() => faces.close());
  const found: string[] = [];
  let after = '';
  for (let left = things.length; left > 0; left -= 1) {
    const args = `first: 1, order: [{ size: ${direction} }]${after}`;
    const query = `{ thingsConnection(${args}) { nodes { id } pageInfo { endCursor } } }`;
    const { nodes, pageInfo } = (await askGraphQL(faces, UNRESTRICTED, query)).data.thingsConnection;
    found.push(...nodes.map(({ id }: { readonly id: string }) => id));
    after = `, after: "${pageInfo.endCursor}"`;
  }
  expect(found).toEqual(expected);
});
