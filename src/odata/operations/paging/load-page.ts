import type { CollectionSnapshot } from '../../../contract/entity-source.ts';
import type { Row } from '../../../contract/row.ts';
import { demandCollection } from '../../../engine/load/assert-parent-exists.ts';
import { loadUpstreamPage } from '../../../engine/read/load-page.ts';
import type { PreparedCollection } from '../../../engine/read/prepare-query.ts';
import type { Loading } from '../../../engine/resource/loading.ts';
import type { CollectionResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { Service } from '../service/service.ts';
import { type CutPage, type PageOfAnswer, unknownSkipToken } from '../tokens/paging.ts';

/** What an answer is made of, and what is shown of the rows that the options leave. */
interface LoadedPage {
  readonly snapshot: CollectionSnapshot;
  readonly cut: (rows: readonly Row[]) => CutPage<Row>;
}

/**
 * Loads the page of an answer; `list`: of all that there is, whatever pages it comes in. Where no option needs all of a list that comes in pages, it is a page of the upstream's,
 * and the URL of the rest leads on from there; else it is a part of all that there is.
 */
export async function loadPage(
  { paging }: Pick<Service, 'paging'>,
  loading: Loading,
  collection: CollectionResource,
  prepared: Pick<PreparedCollection, 'wanted'>,
  options: Pick<QueryOptions, 'top' | 'skip'>,
  page: PageOfAnswer,
  target: string,
  read: 'page' | 'list' = 'page',
): Promise<LoadedPage> {
  if (page.from !== undefined && prepared.wanted.pushed?.goesOn !== true) throw unknownSkipToken();
  const found =
    page.tracked === undefined && read === 'page'
      ? await loadUpstreamPage(loading, collection, prepared, options, page)
      : undefined;
  if (found !== undefined) {
    const { snapshot, next, isWhole } = found;
    if (isWhole) return { snapshot, cut: (rows) => paging.cut(rows, page, target) };
    const nextTarget = next && paging.onward(target, next);
    if (next === undefined || nextTarget !== undefined)
      return { snapshot, cut: (rows) => ({ rows, nextTarget }) };
  }
  const snapshot = await demandCollection(loading, collection, prepared.wanted);
  return { snapshot, cut: (rows) => paging.cut(rows, page, target) };
}
