import { type FormEvent, useState } from 'react';
import { changeUser, type User } from '../../service/users.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import { RoleBoxes } from './role-boxes.tsx';
import { useUserChange } from './use-user-change.ts';

interface RolesFormProps {
  readonly user: User;
  readonly offered: readonly string[];
  readonly close: () => void;
}

/** Which roles somebody has. */
export function RolesForm({ user, offered, close }: RolesFormProps) {
  const [roles, setRoles] = useState(user.roles);
  // What was ticked away stays there to be ticked again.
  const known = [...new Set([...offered, ...user.roles])];
  const saving = useUserChange(() => changeUser(user.id, { roles }), close);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate(undefined);
  };
  return (
    <form className="in-dialog" onSubmit={submit}>
      <FormFailure error={saving.error} />
      <RoleBoxes offered={known} chosen={roles} onChange={setRoles} />
      {roles.length === 0 && (
        <p className="hint">Whoever has no role may do nothing: disable the account instead.</p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" disabled={saving.isPending || roles.length === 0}>
          {saving.isPending ? 'Saving …' : 'Save'}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
