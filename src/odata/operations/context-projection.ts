import type { ContextProjection } from '../payload/context-url.ts';
import type { Projection } from '../query/compile-query.ts';
import type { SystemQueryOptions } from '../url/tree.ts';
import type { Expander } from './expand.ts';

/** What a context URL says of `$select` and `$expand` (Part 1, 10.7 to 10.10); undefined where it says nothing. */
export function contextProjection(
  { select }: Pick<SystemQueryOptions, 'select'>,
  query: Projection,
  expander: Expander | undefined,
): ContextProjection | undefined {
  if (select === undefined && expander === undefined) return undefined;
  return { select: select && selectList(select, query), expand: expander?.projection ?? [] };
}

/** `*` stands for all declared properties. */
function selectList(select: NonNullable<SystemQueryOptions['select']>, query: Projection): readonly string[] {
  const all = select.some(({ path }) => path.length === 1 && path[0] === '*');
  return all ? ['*', ...query.computed.keys()] : query.selected;
}
