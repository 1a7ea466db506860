import { DialogButton } from '../../controls/dialog-button.tsx';
import { useSession } from '../../service/session.ts';
import { changeUser, type User } from '../../service/users.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import { ManageUser } from './manage-user.tsx';
import { RolesForm } from './roles-form.tsx';
import { STATES } from './state-select.tsx';
import { useUserChange } from './use-user-change.ts';

interface UserTableProps {
  readonly users: readonly User[];
  /** Those that are offered. */
  readonly roles: readonly string[];
}

export function UserTable({ users, roles }: UserTableProps) {
  const { data: session } = useSession();
  const own = session?.kind === 'user' ? session.email : undefined;
  return (
    <div className="card users">
      <table>
        <caption className="visually-hidden">Accounts</caption>
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col">Roles</th>
            <th scope="col">State</th>
            <th scope="col">Last sign-in</th>
            <th scope="col">
              <span className="visually-hidden">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.id} user={user} roles={roles} isOwn={user.email === own} />
          ))}
        </tbody>
      </table>
    </div>
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
        {lastSignInAt === null ? <span className="hint">not known</span> : <SignInTime text={lastSignInAt} />}
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

function SignInTime({ text }: { readonly text: string }) {
  const moment = new Date(text);
  return (
    <time dateTime={text} title={moment.toLocaleString()}>
      {moment.toLocaleDateString([], { dateStyle: 'medium' })}
    </time>
  );
}
