import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { type Faces, openFaces, requestOf } from '../auth/faces.ts';

const parameter = (name: string, type: string) => ({ name, in: 'query', schema: { type } });

let faces: Faces;
beforeAll(async () => {
  const count = { content: { 'application/json': { schema: { type: 'integer' } } } };
  const best = {
    operationId: 'best',
    parameters: [parameter('max', 'integer'), parameter('kind', 'string')],
    responses: { 200: { description: 'OK', ...count } },
    'x-odata': { function: 'Best', overloads: [[], ['max'], ['max', 'kind']] },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1' },
    paths: { '/best': { get: best } },
  };
  faces = await openFaces('A', document, ({ target }, reply) => reply.json(target.length));
});
afterAll(() => faces.close());

async function call(target: string) {
  const { status, body } = await faces.odata(requestOf(UNRESTRICTED, `GET ${target}`));
  return [status, JSON.parse(String(body))];
}

it.each(['/Best(kind=1)', '/Best(Max=1,Other=2)', '/Best(Other=1)'])(
  'names all overloads of a function to %s, which fits none (CSDL 4.01, 12.2)',
  async (target) => {
    const message =
      'Best: expected no parameters, or the parameters Max, or the parameters Max, Kind, each by its name.';
    expect(await call(target)).toStrictEqual([400, { error: { code: 'BadRequest', message } }]);
  },
);

it.each([
  ['/Best()', '/best'],
  ['/Best(Max=1)', '/best?max=1'],
  ["/Best(Kind='a',Max=1)", '/best?max=1&kind=a'],
])('calls the overload that fits %s', async (target, sent) => {
  expect(await call(target)).toMatchObject([200, { value: sent.length }]);
  expect(faces.targets().at(-1)).toBe(`GET ${sent}`);
});
