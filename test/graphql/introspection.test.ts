import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Principal } from '../../src/contract/principal.ts';
import { askGraphQL, type Faces, openFaces, requestOf, userWith } from '../auth/faces.ts';
import { LIBRARY_FIELDS } from '../auth/matrix.cases.ts';

const DOCUMENT = parse(
  readFileSync(join(import.meta.dirname, '../../examples/library/openapi/library.yaml'), 'utf8'),
);

let faces: Faces;
beforeAll(async () => {
  faces = await openFaces('Library', DOCUMENT, (_, reply) => reply.json([]));
});
afterAll(() => faces.close());

const USER = userWith('User');
const LIBRARIAN = userWith('Librarian');
const NOBODY = userWith('constructor', 'Guest');

async function schemaOf(principal: Principal): Promise<GraphQLSchema> {
  const { data } = await askGraphQL(faces, principal, getIntrospectionQuery());
  return buildClientSchema(data, { assumeValid: true });
}

function fieldsOf(schema: GraphQLSchema, type: string): readonly string[] {
  const found = schema.getType(type);
  return found !== undefined && 'getFields' in found ? Object.keys(found.getFields()).sort() : [];
}

function rootFields(schema: GraphQLSchema): readonly string[] {
  return [...fieldsOf(schema, 'Query'), ...fieldsOf(schema, 'Mutation')].sort();
}

describe('introspection', () => {
  it('shows the fields that may be asked for', async () => {
    const user = await schemaOf(USER);
    const forUsers = Object.keys(LIBRARY_FIELDS).filter((name) =>
      ['users', 'everyone'].includes(LIBRARY_FIELDS[name] ?? ''),
    );
    expect([rootFields(user), user.getMutationType()]).toStrictEqual([forUsers.sort(), null]);
    const librarian = await schemaOf(LIBRARIAN);
    expect(rootFields(librarian)).toStrictEqual(Object.keys(LIBRARY_FIELDS).sort());
    const whole = await schemaOf({ kind: 'unrestricted' });
    expect(printSchema(lexicographicSortSchema(librarian))).toBe(printSchema(lexicographicSortSchema(whole)));
  });

  it('shows no type, input or field of what may not be asked for', async () => {
    const hidden = /\b(Member|Loan|NewLoan|NewMember|GenreLending|memberLoans|createBook)/;
    expect(printSchema(await schemaOf(USER))).not.toMatch(hidden);
    expect(printSchema(await schemaOf(LIBRARIAN))).toMatch(hidden);
  });

  it('shows all types that implement what may be asked for', async () => {
    const books = (await schemaOf(USER)).getPossibleTypes(
      (await schemaOf(USER)).getType('Book') as Parameters<GraphQLSchema['getPossibleTypes']>[0],
    );
    expect(books.map(({ name }) => name).sort()).toStrictEqual(['AudioBook', 'PlainBook', 'PrintedBook']);
  });

  it.each([
    ['{ books { pages } }', 'Cannot query field "pages" on type "Book".'],
    ['{ book(isbn: "1") { author { ... on Bok { isbn } } } }', 'Unknown type "Bok".'],
    [
      '{ books(where: { genre: { eq: fictio } }) { isbn } }',
      'Value "fictio" does not exist in "Genre" enum.',
    ],
  ])('has no suggestion in the error for %s', async (query, message) => {
    expect(await askGraphQL(faces, USER, query)).toMatchObject({ errors: [{ message }] });
  });

  it('shows nobody any field whose roles are granted nothing', async () => {
    const schema = await schemaOf(NOBODY);
    expect([fieldsOf(schema, 'Query'), schema.getMutationType()]).toStrictEqual([['_empty'], null]);
  });

  it('tells each user the same however often others have asked, and of single types, too', async () => {
    const query =
      'query { member: __type(name: "Member") { name } ...f } fragment f on Query { author: __type(name: "Author") { name } }';
    for (let times = 0; times < 10; times++) {
      expect((await askGraphQL(faces, LIBRARIAN, query)).data).toStrictEqual({
        member: { name: 'Member' },
        author: { name: 'Author' },
      });
      expect((await askGraphQL(faces, USER, query)).data).toStrictEqual({
        member: null,
        author: { name: 'Author' },
      });
    }
  });

  it('tells each user the whole schema of his own, whatever has been written for others', async () => {
    const query = getIntrospectionQuery();
    const ask = async (principal: Principal) => (await askGraphQL(faces, principal, query)).data;
    const [user, librarian] = [await ask(USER), await ask(LIBRARIAN)];
    expect(user).not.toEqual(librarian);
    expect([await ask(USER), await ask(LIBRARIAN), await ask(USER)]).toEqual([user, librarian, user]);
  });

  it('has the answers of each operation and of its variables', async () => {
    const query = `
      query Types($old: Boolean!) { __schema { types { name ...F } } }
      query Kinds($old: Boolean!) { __schema { types { kind ...F } } }
      fragment F on __Type { fields @include(if: $old) { name args { name type { name } } } }`;
    const ask = async (operationName: string, old: boolean) =>
      JSON.parse(
        String(
          (await faces.graphql(requestOf(USER, 'POST ', { query, operationName, variables: { old } }))).body,
        ),
      ).data.__schema.types.map((type: object) => Object.keys(type).join());
    for (let times = 0; times < 2; times += 1) {
      expect(new Set(await ask('Types', false))).toEqual(new Set(['name']));
      expect(new Set(await ask('Types', true))).toEqual(new Set(['name,fields']));
      expect(new Set(await ask('Kinds', true))).toEqual(new Set(['kind,fields']));
    }
  });

  it('may stand beside data', async () => {
    const query = '{ __schema { queryType { name } } authors { lastName } }';
    expect((await askGraphQL(faces, USER, query)).data).toStrictEqual({
      __schema: { queryType: { name: 'Query' } },
      authors: [],
    });
  });

  it('is closed to whoever has not signed in', async () => {
    const asking = requestOf({ kind: 'anonymous' }, 'POST ', { query: getIntrospectionQuery() });
    expect((await faces.graphql(asking)).status).toBe(401);
  });
});

/** Posts that all users see, with notes that administrators alone see. */
const NOTED = {
  openapi: '3.1.0',
  info: { title: 'Noted', version: '1' },
  paths: {
    '/posts': { get: { responses: { 200: answerOf({ type: 'array', items: schemaRef('Post') }) } } },
    '/posts/{id}': item({ get: { responses: { 200: answerOf(schemaRef('Post')) } } }),
    '/posts/{id}/notes': item({
      get: { responses: { 200: answerOf({ type: 'array', items: schemaRef('Note') }) } },
    }),
  },
  components: {
    schemas: {
      Post: entity({ User: ['View'], Admin: ['View'] }),
      Note: entity({ Admin: ['View'] }),
    },
  },
};

function schemaRef(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

function answerOf(schema: object) {
  return { description: 'OK', content: { 'application/json': { schema } } };
}

function item(operations: object) {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return { parameters: [id], ...operations };
}

function entity(grants: Readonly<Record<string, readonly string[]>>) {
  const properties = { id: { type: 'string' }, text: { type: 'string' } };
  return { type: 'object', required: ['id'], properties, 'x-odata': { grants } };
}

describe('the page for browsers', () => {
  it('takes nothing from the schema of others, whoever opens it first', async () => {
    const noted = await openFaces('Noted', NOTED, (_, reply) => reply.json([]));
    const page = requestOf(userWith('User'), 'GET ');
    await noted.graphql({ ...page, headers: { accept: 'text/html' } });
    const { data } = await askGraphQL(
      noted,
      userWith('Admin'),
      '{ __type(name: "Post") { fields { name } } }',
    );
    expect(data.__type.fields.map(({ name }: { name: string }) => name)).toStrictEqual([
      'nodeId',
      'id',
      'text',
      'notes',
      'notesConnection',
    ]);
    await noted.close();
  });
});

describe('a misspelt name', () => {
  it.each(['{ author { id } }', '{ boks { title } }', '{ books { titel } }'])(
    'in %s is not told what it came close to',
    async (query) => {
      const { errors } = await askGraphQL(faces, USER, query);
      expect(errors[0].message).not.toMatch(/did you mean/i);
    },
  );
});
