import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/contract/row.ts';
import { answer, openDocument, requestsOf } from './document-scene.ts';

const TEXT = '{ type: string }';
const NUMBER = '{ type: integer }';
const listOf = (schema: string) => `{ type: array, items: ${schema} }`;

type Call = readonly [given: Readonly<Record<string, Value>>, target: string];

/** A path, the schemas of its parameters, and calls in turn with the targets that they are sent to. */
const PATHS: readonly (readonly [
  path: string,
  schemas: Readonly<Record<string, string>>,
  calls: readonly Call[],
])[] = [
  ['/f', {}, [[{}, '/f']]],
  [
    '/f/{a}/x/{b}',
    { a: TEXT, b: TEXT },
    [
      [{ A: '1', B: '2' }, '/f/1/x/2'],
      [{ A: '2', B: '1' }, '/f/2/x/1'],
      [{ A: '{args.b}', B: '$&' }, '/f/%7Bargs.b%7D/x/%24%26'],
      [{ A: 'duogate-value-1-', B: '0' }, '/f/duogate-value-1-/x/0'],
    ],
  ],
  [
    '/f/{b}/{a}',
    { a: TEXT, b: TEXT },
    [
      [{ A: '1', B: '2' }, '/f/2/1'],
      [{ A: 'é', B: 'a/b' }, '/f/a%2Fb/%C3%A9'],
    ],
  ],
  ["/f/{a}-{b}.json('x')", { a: TEXT, b: TEXT }, [[{ A: '1', B: '2' }, "/f/1-2.json('x')"]]],
  [
    '/f/{a}/x/{a}',
    { a: TEXT },
    [
      [{ A: '1' }, '/f/1/x/1'],
      [{ A: '2' }, '/f/2/x/2'],
    ],
  ],
  ['/f/duogate-value-0-/{a}', { a: TEXT }, [[{ A: '1' }, '/f/duogate-value-0-/1']]],
  ['/f/%20x/{a}', { a: TEXT }, [[{ A: '1' }, '/f/%20x/1']]],
  ['/é/{a}', { a: TEXT }, [[{ A: 'ü/1%' }, '/%C3%A9/%C3%BC%2F1%25']]],
  ['/f/{a}/', { a: TEXT }, [[{ A: '1' }, '/f/1/']]],
  ['/f/{a}#of-x', { a: TEXT }, [[{ A: '1#2' }, '/f/1%232']]],
  [
    '/f/{a}',
    { a: NUMBER },
    [
      [{ A: 0 }, '/f/0'],
      [{ A: 7 }, '/f/7'],
      [{ A: -7 }, '/f/-7'],
    ],
  ],
  [
    '/f/{a}',
    { a: '{ type: boolean }' },
    [
      [{ A: true }, '/f/true'],
      [{ A: false }, '/f/false'],
    ],
  ],
  [
    '/f/{a}',
    { a: listOf(TEXT) },
    [
      [{ A: ['a,b', 'c'] }, '/f/a%2Cb,c'],
      [{ A: ['1'] }, '/f/1'],
    ],
  ],
];

describe('a path', () => {
  it.each(PATHS)('%s with %j is sent with the values of each call', async (path, schemas, calls) => {
    const parameters = Object.entries(schemas).map(
      ([name, schema]) => `{ name: ${name}, in: path, required: true, schema: ${schema} }`,
    );
    const optional = '{ name: q, in: query, schema: { type: array, items: { type: string } } }';
    const scene = await openDocument(
      `"${path}": { get: { operationId: f, parameters: [${[...parameters, optional]}], responses: ${answer(TEXT)} } }`,
      '',
      (_, reply) => reply.json('ok'),
    );
    for (const [given] of calls) {
      await scene.call('F', given);
      await scene.call('F', { ...given, Q: ['x', 'y'] });
      await scene.call('F', { ...given, Q: [] });
    }
    const sent = calls.flatMap(([, target]) => [target, `${target}?q=x&q=y`, target]);
    expect(requestsOf(scene)).toEqual(sent.map((target) => `GET ${target}`));
  });

  it('is made of the values of its own call where calls come at once', async () => {
    const scene = await openDocument(
      `/f/{a}: { get: { operationId: f, parameters: [{ name: a, in: path, required: true, schema: ${TEXT} }], responses: ${answer(TEXT)} } }`,
      '',
      ({ target }, reply) => reply.json(target),
    );
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const answers = await Promise.all(keys.map((A) => scene.call('F', { A })));
    expect(answers.map(({ data }) => data)).toEqual(keys.map((key) => `/f/${key}`));
    expect(new Set(scene.upstream.requests.map(({ headers }) => headers['x-key']))).toEqual(new Set(['k']));
  });
});
