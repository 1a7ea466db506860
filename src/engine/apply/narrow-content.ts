import type { NestedContent, ResultContent } from '../results/result-content.ts';
import type { SelectItem } from '../tree/options-tree.ts';

/** The content where `$select` names parts of the instances that others hold: `Author/LastName`. */
export function narrowed(content: ResultContent, select: readonly SelectItem[] | undefined): ResultContent {
  if (select === undefined) return content;
  const nested = [...content.nested].map(
    ([name, each]) => [name, narrowedTo(each, partsOf(name, select))] as const,
  );
  return { ...content, nested: new Map(nested) };
}

/** What is asked of a property; undefined for all of it. */
function partsOf(name: string, select: readonly SelectItem[]): readonly SelectItem[] | undefined {
  const items = select.filter(({ path }) => path[0] === name || path[0] === '*');
  const parts = items.flatMap(({ path: [, ...path], options }): readonly SelectItem[] =>
    path.length > 0 ? [{ path, options, position: 0 }] : (options?.select ?? []),
  );
  const isWhole = items.some(({ path, options }) => path.length === 1 && options?.select === undefined);
  return isWhole ? undefined : parts;
}

function narrowedTo(content: NestedContent, parts: readonly SelectItem[] | undefined): NestedContent {
  if (parts === undefined || parts.some(({ path }) => path[0] === '*')) return content;
  const names = new Set(parts.map(({ path: [name] }) => name));
  const selected = parts.map(({ path }) => path.join('/'));
  const isSelected = (path: string) => selected.some((each) => path === each || path.startsWith(`${each}/`));
  const shown = content.shown.filter((name) => names.has(name));
  const nested = new Map([...content.nested].filter(([name]) => names.has(name)));
  const paths = content.paths.includes('*')
    ? selected.filter((path) => shown.includes(path.split('/', 1)[0] ?? ''))
    : content.paths.filter(isSelected);
  return { ...content, ...narrowed({ ...content, nested }, parts), shown, paths };
}
