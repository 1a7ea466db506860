import type { ExpandItem, QueryOptions } from '../../url/tree.ts';
import type { Insertion } from './planned-insertion.ts';

/** What was created is shown as deep as it was given (Part 1, 11.4.2.2), unless the client says how. */
export function expandedOptions(options: QueryOptions, insertion: Insertion): QueryOptions {
  if (options.expand !== undefined || options.select !== undefined) return options;
  return { ...options, expand: expansions(options, [insertion]) };
}

function expansions({ aliases }: QueryOptions, insertions: readonly Insertion[]): readonly ExpandItem[] {
  const related = insertions
    .flatMap(({ before, after }) => [...before, ...after])
    .filter(({ isVisible }) => isVisible);
  return [...Map.groupBy(related, ({ property }) => property.name)].map(([name, each]) => {
    const expand = expansions(
      { aliases },
      each.flatMap((all) => all.insertions),
    );
    const nested = expand.length === 0 ? undefined : { expand, aliases };
    return { path: [name], form: 'entities', levels: undefined, options: nested, position: 0 };
  });
}
