import type { Arguments } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import type { PageWay, Paging } from '../../model/paging.ts';
import type { PagePosition, PageStep } from './page-position.ts';

/** How a page is asked for. */
export interface PageRequest {
  /** For the parameters that are about pages, by their names in the mesh. */
  readonly arguments: Arguments;
  /** Instead of what the arguments come to. */
  readonly target: string | undefined;
}

export function pageRequest({ size, ways }: Paging, { position, asked }: PageStep): PageRequest {
  const args: Record<string, Value> = {};
  if (size !== undefined && asked !== undefined) args[size.parameter.name] = asked;
  for (const way of ways) {
    const value = valueAt(way, position);
    if (value !== undefined) args[way.parameter.name] = value;
  }
  return { arguments: args, target: position.kind === 'target' ? position.target : undefined };
}

/** Of the first page nothing is said but what must be. */
function valueAt(way: PageWay, position: PagePosition): Value | undefined {
  if (position.kind === way.kind) return 'number' in position ? position.number : position.value;
  if (position.kind !== 'first' || !way.parameter.required) return undefined;
  switch (way.kind) {
    case 'page':
      // Where the first page has the number 1, this is an error or that page; else it would be left out.
      return way.first ?? 0;
    case 'offset':
      return way.first;
    case 'cursor':
    case 'lastKey':
      return undefined;
  }
}
