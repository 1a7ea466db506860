import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../docs/graphql.md'), 'utf8');
const DOCUMENTS = [...TEXT.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, document = '']) => document);
const CONDITIONS = [...TEXT.matchAll(/^\|[^|]*\| `(\{.*\})` \| `(.*)` \|$/gm)].map(
  ([, where = '', filter = '']) => [where, filter] as const,
);

const { graphql, odata } = useLibrary();

it('has documents that are valid', async () => {
  const { data } = (await graphql(getIntrospectionQuery())) as { readonly data: IntrospectionQuery };
  const schema = buildClientSchema(data);
  expect(DOCUMENTS.length).toBeGreaterThanOrEqual(3);
  expect(DOCUMENTS.flatMap((document) => validate(schema, parse(document)))).toEqual([]);
});

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
