import type { DeepInput } from '../../../../engine/change/planned-insertion.ts';
import type { ExpandItem, QueryOptions } from '../../../../engine/tree/options-tree.ts';

/** What was created is shown as deep as it was given (Part 1, 11.4.2.2), unless the client says how. */
export function expandedOptions(options: QueryOptions, created: DeepInput): QueryOptions {
  if (options.expand !== undefined || options.select !== undefined) return options;
  const expand = expansions(options, [created]);
  return expand.length === 0 ? options : { ...options, expand };
}

function expansions({ aliases }: QueryOptions, created: readonly DeepInput[]): readonly ExpandItem[] {
  const related = created
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
