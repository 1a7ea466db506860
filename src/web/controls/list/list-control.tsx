import { useSearchParams } from 'react-router';
import type { EntitySet } from '../../service/metadata.ts';
import { Empty } from '../../state/empty.tsx';
import { Failure } from '../../state/failure.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import type { ListConfiguration } from '../screen.ts';
import { ListItems } from './list-items.tsx';
import { type ListQuery, readListQuery, writeListQuery } from './list-query.ts';
import { ListTools } from './list-tools.tsx';
import { MoreItems } from './more-items.tsx';
import { useListPages } from './use-list-pages.ts';

interface ListControlProps {
  readonly configuration: ListConfiguration;
  readonly entitySet: EntitySet;
}

/** The entities of a collection: searched, sorted and filtered by the service, loaded as one scrolls. */
export function ListControl({ configuration, entitySet }: ListControlProps) {
  const [parameters, setParameters] = useSearchParams();
  const query = readListQuery(parameters, entitySet);
  const pages = useListPages(configuration.dataPath, entitySet, query);
  const change = (next: ListQuery): void => setParameters(writeListQuery(next), { replace: true });
  const reset = (): void => change({ search: '', sort: query.sort, filters: [] });
  const entities = pages.data?.pages.flatMap((page) => page.entities) ?? [];
  const count = pages.data?.pages[0]?.count;
  return (
    <section aria-label={entitySet.name} aria-busy={pages.isFetching}>
      <ListTools dataPath={configuration.dataPath} entitySet={entitySet} query={query} onChange={change} />
      {pages.data !== undefined && <ItemCount count={count ?? entities.length} />}
      {pages.isPending && <LoadingRows />}
      {pages.isError && entities.length === 0 && (
        <Failure error={pages.error} retry={() => pages.refetch()} what={entitySet.name} />
      )}
      {pages.isSuccess && entities.length === 0 && (
        <Empty isNarrowed={query.search !== '' || query.filters.length > 0} reset={reset} />
      )}
      {entities.length > 0 && (
        <div className={pages.isPlaceholderData ? 'stale' : undefined}>
          <ListItems configuration={configuration} entitySet={entitySet} entities={entities} query={query} />
          <MoreItems pages={pages} />
        </div>
      )}
    </section>
  );
}

function ItemCount({ count }: { readonly count: number }) {
  const text = count === 1 ? '1 item' : `${count.toLocaleString()} items`;
  return (
    <p className="count" role="status">
      {text}
    </p>
  );
}
