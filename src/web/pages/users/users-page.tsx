import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { MoreItems } from '../../controls/list/more-items.tsx';
import { SearchBox } from '../../controls/list/search-box.tsx';
import { readUsers, type UserQuery } from '../../service/users.ts';
import { Page } from '../../shell/page.tsx';
import { Empty } from '../../state/empty.tsx';
import { Failure } from '../../state/failure.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { InviteSection } from './invite-section.tsx';
import { StateSelect, stateOf } from './state-select.tsx';
import { USERS } from './use-user-change.ts';
import { UserTable } from './user-table.tsx';

/** Who may sign in, and with which roles: for administrators. */
export function UsersPage() {
  const { query, narrow } = useUserQuery();
  const pages = useInfiniteQuery({
    queryKey: [...USERS, query],
    queryFn: ({ pageParam, signal }) => readUsers(query, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // While another search is answered, the table stays where it is.
    placeholderData: keepPreviousData,
  });
  const search = useCallback((text: string) => narrow('search', text), [narrow]);
  const [first] = pages.data?.pages ?? [];
  const users = pages.data?.pages.flatMap((page) => page.users) ?? [];
  if (pages.isError && first === undefined) {
    return (
      <Page title="Users">
        <Failure error={pages.error} retry={() => pages.refetch()} what="list of users" />
      </Page>
    );
  }
  return (
    <Page title="Users">
      {first !== undefined && first.waiting > 0 && query.state !== 'waiting' && (
        <Waiting number={first.waiting} show={() => narrow('state', 'waiting')} />
      )}
      <div className="tools">
        <div className="tool-row">
          <SearchBox value={query.search} onChange={search} />
          <StateSelect value={query.state} onChange={(state) => narrow('state', state)} />
        </div>
        <p className="hint" role="status">
          {first !== undefined && countOf(first.total)}
        </p>
      </div>
      {first === undefined && <LoadingRows />}
      {first !== undefined && users.length === 0 && (
        <Empty isNarrowed={query.search !== '' || query.state !== ''} reset={() => narrow()} />
      )}
      {first !== undefined && users.length > 0 && <UserTable users={users} roles={first.roles} />}
      {first !== undefined && <MoreItems pages={pages} />}
      {first !== undefined && <InviteSection roles={first.roles} />}
    </Page>
  );
}

/** The search and the state that the address of the page names. */
function useUserQuery() {
  const [parameters, setParameters] = useSearchParams();
  const query: UserQuery = {
    search: parameters.get('search') ?? '',
    state: stateOf(parameters.get('state')),
  };
  const narrow = useCallback(
    (name?: 'search' | 'state', value = '') =>
      setParameters(
        (known) => {
          const changed = new URLSearchParams(name === undefined ? '' : known);
          if (name !== undefined && value !== '') changed.set(name, value);
          else if (name !== undefined) changed.delete(name);
          return changed;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return { query, narrow };
}

function Waiting({ number, show }: { readonly number: number; readonly show: () => void }) {
  const who =
    number === 1 ? 'One person has signed up and waits' : `${number} people have signed up and wait`;
  return (
    <div className="banner plain">
      <p>{who} for approval.</p>
      <button type="button" onClick={show}>
        Show
      </button>
    </div>
  );
}

function countOf(total: number): string {
  return total === 1 ? '1 account' : `${total} accounts`;
}
