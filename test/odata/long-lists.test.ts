import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/{list}': {
      parameters: [{ name: 'list', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'notes',
        'x-odata': { function: 'Notes' },
        responses: {
          200: {
            description: 'All',
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Note' } } },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Note: { type: 'object', properties: { number: { type: 'integer' }, text: { type: 'string' } } },
    },
  },
});

/** The lists, by what is special about how long their items are. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  alike: Array.from({ length: 1_000 }, (_, index) => `text ${index}`),
  wide: Array.from({ length: 1_000 }, () => '€ 𝒳 👩‍🚀 ü'),
  growing: Array.from({ length: 700 }, (_, index) => (index < 300 ? 'a' : '€'.repeat(index))),
  shrinking: Array.from({ length: 700 }, (_, index) => (index < 200 ? 'long '.repeat(400) : '')),
  huge: Array.from({ length: 300 }, (_, index) => (index === 200 ? '𝒳'.repeat(200_000) : '"\\\n')),
  justLong: Array.from({ length: 129 }, () => 'b'),
};

describe('a list that is written part by part', () => {
  let served: ServedDocument;

  beforeAll(async () => {
    const answers = Object.entries(LISTS).map(([list, texts]) => [
      `GET /${list}`,
      texts.map((text, number) => ({ number, text })),
    ]);
    served = await serveDocument(DOCUMENT, Object.fromEntries(answers), atEndOfFile);
  });

  it.each(Object.entries(LISTS))('is whole where its items are %s', async (list, texts) => {
    const value = texts.map((text, index) => ({ Number: index, Text: text }));
    expect(await served.ask(`Notes(List='${list}')`)).toEqual([200, { value }]);
  });
});

describe('a list that is sorted part by part', () => {
  it.each([8_193, 10_000])(
    'has %i items in their order, and those that are equal in their own',
    async (length) => {
      const numbers = Array.from({ length }, (_, index) => (index * 7_919) % length);
      const { ask } = await serveDocument(DOCUMENT, { 'GET /many': numbers.map((number) => ({ number })) });
      const ordered = async (order: string) => {
        const [status, body] = await ask(`Notes(List='many')?$select=Number&$orderby=${order}`);
        expect(status).toBe(200);
        return (body as { value: readonly { Number: number }[] }).value.map(({ Number: number }) => number);
      };
      expect(await ordered('Number desc')).toEqual(numbers.toSorted((a, b) => b - a));
      expect(await ordered('Number mod 5')).toEqual(numbers.toSorted((a, b) => (a % 5) - (b % 5)));
    },
  );
});
