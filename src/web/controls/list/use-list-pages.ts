import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { dataUrl } from '../../service/base.ts';
import { type Entity, isEntity } from '../../service/entity.ts';
import type { EntitySet } from '../../service/metadata.ts';
import { requestJson } from '../../service/request.ts';
import { type ListQuery, writeOptions } from './list-query.ts';

interface ListPage {
  readonly entities: readonly Entity[];
  readonly count: number | undefined;
  /** Where the service cut the page short. */
  readonly nextLink: string | undefined;
}

type PageParameter = { readonly skip: number } | { readonly nextLink: string };

const PAGE_SIZE = 30;
const FIRST_PAGE: PageParameter = { skip: 0 };

/** The entities of the query, page by page, and how many there are. */
export function useListPages(dataPath: string, entitySet: EntitySet, query: ListQuery) {
  return useInfiniteQuery({
    queryKey: ['entities', dataPath, query],
    queryFn: ({ pageParam, signal }) => readPage(pageUrl(dataPath, entitySet, query, pageParam), signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: nextPage,
    // While another query is answered, the list stays where it is.
    placeholderData: keepPreviousData,
  });
}

function pageUrl(dataPath: string, entitySet: EntitySet, query: ListQuery, page: PageParameter): string {
  if ('nextLink' in page) return page.nextLink;
  return `${dataUrl(dataPath)}?${writeOptions(query, entitySet, page.skip, PAGE_SIZE)}`;
}

async function readPage(url: string, signal: AbortSignal): Promise<ListPage> {
  const { body } = await requestJson(url, { signal });
  const answer = isEntity(body) ? body : {};
  const { value, '@odata.count': count, '@odata.nextLink': nextLink } = answer;
  return {
    entities: Array.isArray(value) ? value.filter(isEntity) : [],
    count: count === undefined ? undefined : Number(count),
    nextLink: typeof nextLink === 'string' ? onThisHost(nextLink) : undefined,
  };
}

/** The link has the public URL's host; the page may have come from another, such as that of a tunnel. */
function onThisHost(link: string): string {
  const { pathname, search } = new URL(link, document.baseURI);
  return pathname + search;
}

function nextPage(last: ListPage, pages: readonly ListPage[]): PageParameter | undefined {
  if (last.nextLink !== undefined) return { nextLink: last.nextLink };
  const skip = pages.reduce((sum, { entities }) => sum + entities.length, 0);
  const isComplete = last.count === undefined ? last.entities.length < PAGE_SIZE : skip >= last.count;
  return isComplete || last.entities.length === 0 ? undefined : { skip };
}
