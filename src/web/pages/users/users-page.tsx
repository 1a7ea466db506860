import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Confirmation, DialogButton } from '../../controls/dialog-button.tsx';
import { ActionButton, Form, Select } from '../../controls/inputs.tsx';
import { MoreItems } from '../../controls/list/more-items.tsx';
import { SearchBox } from '../../controls/list/search-box.tsx';
import { Day } from '../../controls/moment.tsx';
import { quantity } from '../../controls/quantity.ts';
import { ShownOnce } from '../../controls/secrets.tsx';
import { Table } from '../../controls/table.tsx';
import { useSession } from '../../service/session.ts';
import {
  changeUser,
  readUser,
  readUsers,
  removeUser,
  resetPassword,
  signOutUser,
  type User,
  type UserDetails,
  type UserQuery,
  type UserState,
} from '../../service/users.ts';
import { Page } from '../../shell/page.tsx';
import { Empty } from '../../state/empty.tsx';
import { Failure, FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { InviteSection } from './invite-section.tsx';
import { RoleBoxes, USERS, useUserChange } from './use-user-change.tsx';

/** The accounts with their roles: for administrators. */
export function UsersPage() {
  const { query, narrow } = useUserQuery();
  const pages = useInfiniteQuery({
    queryKey: [...USERS, query],
    queryFn: ({ pageParam, signal }) => readUsers(query, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // Keeps the table while another search is loading.
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
          {first !== undefined && quantity(first.total, 'account')}
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

/** The search and state in the page's URL. */
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
    number === 1
      ? 'One person has signed up and is waiting'
      : `${number} people have signed up and are waiting`;
  return (
    <div className="banner plain">
      <p>{who} for approval.</p>
      <button type="button" onClick={show}>
        Show
      </button>
    </div>
  );
}

interface UserTableProps {
  readonly users: readonly User[];
  /** The selectable roles. */
  readonly roles: readonly string[];
}

function UserTable({ users, roles }: UserTableProps) {
  const { data: session } = useSession();
  const own = session?.kind === 'user' ? session.email : undefined;
  return (
    <Table
      caption="Accounts"
      className="users"
      columns={['User', 'Roles', 'Status', 'Last sign-in', 'Actions']}
    >
      {users.map((user) => (
        <UserRow key={user.id} user={user} roles={roles} isOwn={user.email === own} />
      ))}
    </Table>
  );
}

interface UserRowProps {
  readonly user: User;
  readonly roles: readonly string[];
  readonly isOwn: boolean;
}

function UserRow({ user, roles, isOwn }: UserRowProps) {
  const { id, name, email, state, lastSignInAt } = user;
  const held = user.roles.join(', ') || 'none';
  const approving = useUserChange(() => changeUser(id, { enabled: true }));
  return (
    <tr>
      <th scope="row">
        <span className="user-name">{name}</span> {isOwn && <span className="badge">you</span>}
        <span className="hint">{email}</span>
      </th>
      <td>
        <DialogButton label={held} name={`Roles of ${email}: ${held}`} title={`Roles of ${email}`}>
          {(close) => <RolesForm user={user} offered={roles} close={close} />}
        </DialogButton>
      </td>
      <td>
        <span className={`badge ${state}`}>{STATES[state]}</span>
      </td>
      <td className="last">
        {lastSignInAt === null ? <span className="hint">Unknown</span> : <Day at={lastSignInAt} />}
      </td>
      <td>
        <div className="buttons">
          {state === 'waiting' && (
            <button
              type="button"
              className="primary"
              aria-label={`Approve ${email}`}
              disabled={approving.isPending}
              onClick={() => approving.mutate(undefined)}
            >
              Approve
            </button>
          )}
          <DialogButton label="Manage" name={`Manage ${email}`} title={email}>
            {(close) => <ManageUser user={user} isOwn={isOwn} close={close} />}
          </DialogButton>
        </div>
        <FormFailure error={approving.error} />
      </td>
    </tr>
  );
}

/** The labels of states. */
const STATES: Readonly<Record<UserState, string>> = {
  active: 'Active',
  waiting: 'Waiting',
  disabled: 'Disabled',
};

/** The state of that name; empty for all states. */
function stateOf(text: string | null): UserState | '' {
  return text !== null && Object.hasOwn(STATES, text) ? (text as UserState) : '';
}

interface StateSelectProps {
  readonly value: UserState | '';
  readonly onChange: (state: UserState | '') => void;
}

function StateSelect({ value, onChange }: StateSelectProps) {
  return (
    <Select
      className="sort"
      aria-label="Status"
      value={value}
      choices={[['', 'All accounts'], ...Object.entries(STATES)]}
      onChange={(state) => onChange(stateOf(state))}
    />
  );
}

interface RolesFormProps {
  readonly user: User;
  readonly offered: readonly string[];
  readonly close: () => void;
}

/** Selects the roles of a user. */
function RolesForm({ user, offered, close }: RolesFormProps) {
  const [roles, setRoles] = useState(user.roles);
  // Deselected roles stay in the list.
  const known = [...new Set([...offered, ...user.roles])];
  const saving = useUserChange(() => changeUser(user.id, { roles }), close);
  return (
    <Form className="in-dialog" submit={() => saving.mutate(undefined)} error={saving.error}>
      <RoleBoxes offered={known} chosen={roles} onChange={setRoles} />
      {roles.length === 0 && (
        <p className="hint">A user without roles cannot do anything. Disable the account instead.</p>
      )}
      <div className="buttons">
        <ActionButton
          label="Save"
          doing="Saving …"
          isPending={saving.isPending}
          isDisabled={roles.length === 0}
        />
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Form>
  );
}

interface ManageUserProps {
  readonly user: User;
  readonly isOwn: boolean;
  readonly close: () => void;
}

/** Actions on an account beside its roles. */
function ManageUser({ user, isOwn, close }: ManageUserProps) {
  const [isRemoving, setRemoving] = useState(false);
  const details = useQuery({
    queryKey: [...USERS, user.id],
    queryFn: ({ signal }) => readUser(user.id, signal),
    staleTime: 0,
  });
  return (
    <Loaded query={details} what="account" pending={<p role="status">Loading …</p>}>
      {(known) =>
        isRemoving ? (
          <RemoveUser user={known} isOwn={isOwn} keep={() => setRemoving(false)} done={close} />
        ) : (
          <UserActions user={known} remove={() => setRemoving(true)} close={close} />
        )
      }
    </Loaded>
  );
}

interface UserActionsProps {
  readonly user: UserDetails;
  readonly remove: () => void;
  readonly close: () => void;
}

function UserActions({ user, remove, close }: UserActionsProps) {
  const { id, email, state, sessions, keys } = user;
  const enabling = useUserChange((enabled: boolean) => changeUser(id, { enabled }));
  const leaving = useUserChange(() => signOutUser(id));
  const resetting = useUserChange(() => resetPassword(id));
  const isPending = enabling.isPending || leaving.isPending || resetting.isPending;
  return (
    <>
      <p className="hint">
        Active sessions: {sessions} · API keys: {keys.join(', ') || 'none'}
      </p>
      <FormFailure error={enabling.error ?? leaving.error ?? resetting.error} />
      <div className="told" role="status">
        {resetting.isSuccess && (
          <ShownOnce text={resetting.data} what={`the password of ${email}`}>
            The new password of {email}. It will not be shown again:
          </ShownOnce>
        )}
      </div>
      <div className="buttons">
        <button type="button" disabled={isPending} onClick={() => enabling.mutate(state !== 'active')}>
          {state === 'active' ? 'Disable' : state === 'waiting' ? 'Approve' : 'Enable'}
        </button>
        <button
          type="button"
          disabled={isPending || sessions === 0}
          onClick={() => leaving.mutate(undefined)}
        >
          Sign out everywhere
        </button>
        <button type="button" disabled={isPending} onClick={() => resetting.mutate(undefined)}>
          Set a new password
        </button>
        <button type="button" className="danger" onClick={remove}>
          Delete …
        </button>
      </div>
      <div className="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </>
  );
}

interface RemoveUserProps {
  readonly user: UserDetails;
  readonly isOwn: boolean;
  readonly keep: () => void;
  readonly done: () => void;
}

/** Asks for a confirmation that names what will be deleted. */
function RemoveUser({ user: { id, email, keys }, isOwn, keep, done }: RemoveUserProps) {
  const removing = useUserChange(() => removeUser(id), done);
  return (
    <Confirmation
      label={`Delete ${email}`}
      doing="Deleting …"
      act={() => removing.mutate(undefined)}
      change={removing}
      keep={keep}
    >
      {isOwn ? 'This is your own account. It' : 'The account'} will be deleted, with its sessions and API
      keys: {keys.join(', ') || 'none'}. This cannot be undone.
    </Confirmation>
  );
}
