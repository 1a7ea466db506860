import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  changeUser,
  readUser,
  removeUser,
  resetPassword,
  signOutUser,
  type User,
  type UserDetails,
} from '../../service/users.ts';
import { Failure } from '../../state/failure.tsx';
import { FormFailure } from '../../state/form-failure.tsx';
import { TellOnce } from './tell-once.tsx';
import { USERS, useUserChange } from './use-user-change.ts';

interface ManageUserProps {
  readonly user: User;
  readonly isOwn: boolean;
  readonly close: () => void;
}

/** What can be done to an account besides its roles. */
export function ManageUser({ user, isOwn, close }: ManageUserProps) {
  const [isRemoving, setRemoving] = useState(false);
  const details = useQuery({
    queryKey: [...USERS, user.id],
    queryFn: ({ signal }) => readUser(user.id, signal),
    staleTime: 0,
  });
  if (details.isError)
    return <Failure error={details.error} retry={() => details.refetch()} what="account" />;
  if (details.data === undefined) return <p role="status">Loading …</p>;
  return isRemoving ? (
    <RemoveUser user={details.data} isOwn={isOwn} keep={() => setRemoving(false)} done={close} />
  ) : (
    <UserActions user={details.data} remove={() => setRemoving(true)} close={close} />
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
        {sessions === 0 ? 'Not signed in anywhere' : `Signed in at ${places(sessions)}`} · API keys:{' '}
        {keys.join(', ') || 'none'}
      </p>
      <FormFailure error={enabling.error ?? leaving.error ?? resetting.error} />
      <div className="told" role="status">
        {resetting.isSuccess && (
          <TellOnce text={resetting.data} what={`the password of ${email}`}>
            The new password of {email}, which is not shown again:
          </TellOnce>
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
          Remove …
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

function places(sessions: number): string {
  return sessions === 1 ? 'one place' : `${sessions} places`;
}

interface RemoveUserProps {
  readonly user: UserDetails;
  readonly isOwn: boolean;
  readonly keep: () => void;
  readonly done: () => void;
}

/** Says what goes before it does. */
function RemoveUser({ user: { id, email, keys }, isOwn, keep, done }: RemoveUserProps) {
  const removing = useUserChange(() => removeUser(id), done);
  return (
    <>
      <p>
        {isOwn ? 'This is your own account. It' : 'The account'} will be removed, with its sessions and its
        API keys: {keys.join(', ') || 'none'}. It cannot be brought back.
      </p>
      <FormFailure error={removing.error} />
      <div className="buttons">
        <button type="button" onClick={keep}>
          Keep it
        </button>
        <button
          type="button"
          className="danger"
          disabled={removing.isPending}
          onClick={() => removing.mutate(undefined)}
        >
          {removing.isPending ? 'Removing …' : `Remove ${email}`}
        </button>
      </div>
    </>
  );
}
