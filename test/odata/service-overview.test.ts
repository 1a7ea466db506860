import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { ANONYMOUS, type Principal, UNRESTRICTED } from '../../src/contract/principal.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { describeService } from '../../src/odata/service-overview.ts';

function modelOf(file: string) {
  const document = parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'));
  return modelFromOpenApi([{ name: 'Api', document }]).model;
}

function overview(file: string, principal: Principal) {
  const model = modelOf(file);
  return describeService(model, permissionsOf(model), principal);
}

function user(...roles: readonly string[]): Principal {
  return { kind: 'user', id: 'u', roles };
}

describe('the overview of a service', () => {
  it('has the entity sets with what may be done, and queries on the first one', () => {
    expect(overview('openapi/posts.yaml', user('User'))).toStrictEqual({
      entitySets: [
        {
          name: 'Post',
          href: 'odata/Post',
          description: 'A short text, written by one user.',
          permissions: ['View', 'Insert'],
        },
      ],
      queries: [
        { title: 'The first five, and how many there are', href: 'odata/Post?$top=5&$count=true' },
        {
          title: 'What contains a letter',
          href: "odata/Post?$filter=contains(Title,'e')&$select=Id,Title",
        },
        { title: 'Sorted, the last first', href: 'odata/Post?$orderby=Title%20desc&$top=5' },
        {
          title: 'How many of each',
          href: 'odata/Post?$apply=groupby((UserId),aggregate($count%20as%20Count))',
        },
        { title: 'Just the number', href: 'odata/Post/$count' },
      ],
    });
  });

  it.each([
    ['nobody', ANONYMOUS],
    ['a user without a role', user()],
    ['a user with a role that nothing is granted', user('constructor')],
  ])('has nothing for %s', (_, principal) => {
    expect(overview('openapi/posts.yaml', principal)).toStrictEqual({ entitySets: [], queries: [] });
  });

  it.each([
    ['a user', user('User'), { Author: ['View'], Book: ['View'], Copy: ['View'], ReadingList: ['View'] }],
    [
      'everybody, where nothing is restricted',
      UNRESTRICTED,
      {
        Author: ['View', 'Insert', 'Update', 'Delete'],
        Book: ['View', 'Insert', 'Update', 'Delete'],
        Copy: ['View', 'Insert', 'Update', 'Delete'],
        ReadingList: ['View', 'Insert', 'Update', 'Delete'],
        Member: ['View', 'Insert', 'Update'],
        Loan: ['View', 'Insert'],
      },
    ],
  ])('shows %s what the API has an operation for', (_, principal, expected) => {
    const { entitySets } = overview('examples/library/openapi/library.yaml', principal);
    expect(Object.fromEntries(entitySets.map(({ name, permissions }) => [name, permissions]))).toStrictEqual(
      expected,
    );
  });
});
