import { describe, expect, it } from 'vitest';
import type { EntitySet, StructuralProperty } from '../../../src/model/edm.ts';
import { entityTypeOf, primitiveProperty } from '../../support/model.ts';
import { errorOf, POST_ROWS, POSTS, runQuery } from './sample.ts';

function text(name: string, changes: Partial<StructuralProperty> = {}): StructuralProperty {
  return { ...primitiveProperty(name, 'Edm.String'), ...changes };
}

const SET: EntitySet = {
  ...POSTS,
  entityType: entityTypeOf('Sample', 'Post', [
    text('Id'),
    text('Title'),
    text('Body', { searchable: false }),
    text('Secret', { writeOnly: true }),
  ]),
};

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
