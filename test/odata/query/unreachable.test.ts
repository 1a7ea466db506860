import { describe, expect, it } from 'vitest';
import type { EntitySet, EntityType } from '../../../src/model/edm.ts';
import { errorOf, POST_ROWS, POSTS, runQuery } from './sample.ts';

type StructuralProperty = NonNullable<ReturnType<NonNullable<EntityType['structuralProperties']>['get']>>;

function structural(
  name: string,
  changes: Partial<StructuralProperty>,
): readonly [string, StructuralProperty] {
  return [
    name,
    {
      name,
      upstreamName: name,
      type: { kind: 'primitive', name: 'Edm.String' },
      collection: false,
      nullable: true,
      facets: {},
      description: undefined,
      defaultValue: undefined,
      computed: false,
      writeOnly: false,
      immutable: false,
      deprecated: false,
      searchable: undefined,
      mediaType: undefined,
      ...changes,
    },
  ];
}

const SET: EntitySet = {
  ...POSTS,
  entityType: {
    ...POSTS.entityType,
    structuralProperties: new Map([
      structural('Body', { searchable: false }),
      structural('Tags', { collection: true }),
      structural('Secret', { writeOnly: true }),
    ]),
  },
};

describe('a property that has no single primitive value', () => {
  it.each(['$orderby'])('is not implemented in %s', (target) => {
    expect(errorOf(() => runQuery({ [target]: 'Tags' }, POST_ROWS, SET))).toEqual({
      code: 'NotImplemented',
      message: `${target}: the use of 'Tags' at position 0 is not implemented`,
      target,
    });
  });
});

describe('a property that no read has', () => {
  it('is unknown', () => {
    expect(errorOf(() => runQuery({ $filter: 'Secret eq null' }, POST_ROWS, SET))).toEqual({
      code: 'BadRequest',
      message: `$filter: expected a property of Sample.Post, found 'Secret' at position 0`,
      target: '$filter',
    });
  });
});

describe('a property that is not searchable', () => {
  it('is not searched', () => {
    expect(runQuery({ $search: 'amber' }, POST_ROWS, SET).rows.map(({ Id }) => Id)).toEqual(['2', '11']);
  });
});
