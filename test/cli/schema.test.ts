import { join } from 'node:path';
import { buildSchema, type GraphQLSchema, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { outcome } from './command.ts';

const LIBRARY = join(import.meta.dirname, '../../examples/library/openapi/library.yaml');
const POSTS = join(import.meta.dirname, '../../openapi/posts.yaml');

async function schemaOf(...args: readonly string[]): Promise<GraphQLSchema> {
  const { code, stdout, stderr } = await outcome(['schema', ...args]);
  expect([code, stderr]).toStrictEqual([0, '']);
  const schema = buildSchema(stdout);
  expect(validateSchema(schema)).toStrictEqual([]);
  return schema;
}

function mutations(schema: GraphQLSchema): readonly string[] {
  return Object.keys(schema.getMutationType()?.getFields() ?? {});
}

describe('duogate schema', () => {
  it('prints what is served', async () => {
    const schema = await schemaOf(POSTS);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toStrictEqual([
      'posts',
      'postsConnection',
      'post',
      'node',
      'nodes',
    ]);
    expect(mutations(schema)).toStrictEqual(['createPost', 'createPosts']);
  });

  it('prints what roles are shown', async () => {
    const whole = mutations(await schemaOf(LIBRARY));
    const librarian = mutations(await schemaOf(LIBRARY, '--role', 'Librarian'));
    const user = mutations(await schemaOf(LIBRARY, '--role', 'User'));
    const both = mutations(await schemaOf(LIBRARY, '--role', 'User', '--role', 'Librarian'));
    expect(whole).toContain('createAuthor');
    expect(librarian).toContain('createAuthor');
    expect(user).not.toContain('createAuthor');
    expect(both).toStrictEqual(librarian);
  });

  it.each([
    [[POSTS, '--role', 'Usr'], 1, 'Nothing is granted to the role "Usr": known are User.\n'],
    [['missing.yaml'], 1, expect.stringContaining('missing.yaml')],
  ])('says what is wrong: %s', async (args, code, stderr) => {
    expect(await outcome(['schema', ...args])).toStrictEqual({ code, stdout: '', stderr });
  });
});
