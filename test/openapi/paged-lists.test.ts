import { describe, expect, it } from 'vitest';
import { servePaged } from './paged-list.ts';
import { STYLES } from './paged-lists.cases.ts';

describe('a list in pages is whole', () => {
  it.each(STYLES)('by $name', async ({ document, answer, queries }) => {
    const list = await servePaged(document, answer);
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect(list.queries()).toEqual(queries);
  });
});
