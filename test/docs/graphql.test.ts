import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/graphql.md'), 'utf8');
const DOCUMENTS = [...TEXT.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, document = '']) => document);
const CONDITIONS = [...TEXT.matchAll(/^\|[^|]*\| `(\{.*\})` \| `(.*)` \|$/gm)].map(
  ([, where = '', filter = '']) => [where, filter] as const,
);

const { graphql, odata } = useLibrary();

it('has documents that can be executed', async () => {
  expect(DOCUMENTS.length).toBeGreaterThanOrEqual(3);
  const cursor = await firstCursor();
  for (const document of DOCUMENTS) {
    const answer = (await graphql(document.replace('after: "…"', `after: "${cursor}"`))) as Answer;
    expect(answer, document).toEqual({ data: expect.anything() });
    expect(Object.values(answer.data), document).not.toContain(null);
  }
});

interface Answer {
  readonly data: Readonly<Record<string, unknown>>;
}

/** A cursor of the order that the page's connection has. */
async function firstCursor(): Promise<string> {
  const query = '{ booksConnection(first: 1, order: [{ title: ASC }]) { pageInfo { endCursor } } }';
  const { data } = (await graphql(query)) as {
    readonly data: { readonly booksConnection: { readonly pageInfo: { readonly endCursor: string } } };
  };
  return data.booksConnection.pageInfo.endCursor;
}

it('has an example of each condition', () => expect(CONDITIONS.length).toBeGreaterThanOrEqual(10));

/** Only members have flags: the other conditions are about books. */
const listOf = (where: string) =>
  where.includes('channels')
    ? { set: 'Member', key: 'Id', field: 'members', id: 'id' }
    : { set: 'Book', key: 'ISBN', field: 'books', id: 'isbn' };

it.each(CONDITIONS)('says that where: %s is $filter=%s', async (where, filter) => {
  const { set, key, field, id } = listOf(where);
  const [, body] = await odata(`GET ${set}?$select=${key}&$filter=${encodeURIComponent(filter)}`);
  const found = (JSON.parse(body).value as readonly Record<string, string>[]).map((row) => ({
    [id]: row[key],
  }));
  expect(found.length).toBeGreaterThan(0);
  expect(await graphql(`{ ${field}(where: ${where}) { ${id} } }`)).toEqual({ data: { [field]: found } });
});
