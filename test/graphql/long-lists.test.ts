import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Stars, version: '1' }
paths:
  /stars: { get: { operationId: stars, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Star' } } } } } } } }
  /stars/{id}:
    get:
      operationId: star
      parameters: [&id { name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
      responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Star' } } } } }
  /stars/{id}/planets: { get: { operationId: planets, parameters: [*id], responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Star' } } } } } } } }
components:
  schemas:
    Star: { type: object, required: [id], properties: { id: { type: integer, format: int64 }, name: { type: [string, 'null'] }, mass: { type: integer, format: int64 } } }
`;

/** The first of the keys; doubles hold every second one of them. */
const FIRST = 9_007_199_254_740_992n;
const COUNT = 1_300;
const KEYS = Array.from({ length: COUNT }, (_, index) => FIRST + BigInt(index));

const star = (key: bigint) =>
  `{"id":${key},"name":${key % 3n === 0n ? null : `"s${key % 7n}"`},"mass":${key % 5n === 0n ? null : key}}`;

let served: ServedDocument;
beforeAll(async () => {
  const stars = Buffer.from(`[${KEYS.map(star).join(',')}]`);
  served = await serveDocument(DOCUMENT, { 'GET /stars': stars }, atEndOfFile);
});

interface Page {
  readonly data: {
    readonly starsConnection: {
      readonly nodes: readonly { readonly id: string }[];
      readonly pageInfo: {
        readonly startCursor: string;
        readonly endCursor: string;
        readonly hasNextPage: boolean;
        readonly hasPreviousPage: boolean;
      };
    };
  };
}

async function page(args: string): Promise<Page['data']['starsConnection']> {
  const text = `{ starsConnection(${args}) { nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`;
  return ((await served.query(text)) as Page).data.starsConnection;
}

describe('a list of more entities than are written at a time', () => {
  it.each([
    '{ stars { key: id __typename name } }',
    '{ starsConnection { nodes { key: id __typename name } } }',
  ])('is the same each time it is asked for: %s', async (text) => {
    const first = JSON.stringify(await served.query(text));
    expect(first.match(/"__typename":"Star"/g)).toHaveLength(COUNT);
    expect(first).toContain(`{"key":"${FIRST + 1_299n}","__typename":"Star","name":`);
    for (const _ of [1, 2]) expect(JSON.stringify(await served.query(text))).toBe(first);
  });

  it.each(['[]', '[{ mass: ASC }]', '[{ name: DESC }, { mass: DESC }]'])(
    'is gone through by its cursors in both directions, whatever its numbers: %s',
    async (order) => {
      const forward: string[] = [];
      for (let after: string | undefined; ; ) {
        const { nodes, pageInfo } = await page(
          `first: 400, order: ${order}${after === undefined ? '' : `, after: "${after}"`}`,
        );
        forward.push(...nodes.map(({ id }) => id));
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
      const backward: string[] = [];
      for (let before: string | undefined; ; ) {
        const { nodes, pageInfo } = await page(
          `last: 400, order: ${order}${before === undefined ? '' : `, before: "${before}"`}`,
        );
        backward.unshift(...nodes.map(({ id }) => id));
        if (!pageInfo.hasPreviousPage) break;
        before = pageInfo.startCursor;
      }
      expect(new Set(forward).size).toBe(COUNT);
      expect(forward).toHaveLength(COUNT);
      expect(backward).toStrictEqual(forward);
    },
  );
});

describe('limits of what arguments and selections come to', () => {
  it.each([
    [
      `{ stars(order: [${Array(6).fill('{ name: ASC }').join()}]) { id } }`,
      'order: expected at most 5 values (QUERY_ORDERBY_ITEMS), found 6.',
      'QUERY_ORDERBY_ITEMS',
    ],
    [
      '{ stars { planets { planets { planets { planets { planets { id } } } } } } }',
      'Expected at most 4 relations inside each other (QUERY_EXPAND_DEPTH), found more.',
      'QUERY_EXPAND_DEPTH',
    ],
  ])('name the variable of each: %s', async (text, message, limit) => {
    const answer = await served.query(text);
    expect(answer).toMatchObject({ errors: [{ message, extensions: { code: 'BadRequest', limit } }] });
  });
});
