import { useMutation, useQueryClient } from '@tanstack/react-query';
import { AddRole } from '../../controls/add-role.tsx';
import { Checkbox } from '../../controls/inputs.tsx';

/** The query key of account data. */
export const USERS = ['users'];

/**
 * Changes accounts, and reloads the shown data and the session, because administrators may change their own
 * account.
 */
export function useUserChange<Input, Output>(change: (input: Input) => Promise<Output>, done?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      done?.();
      // Removes lists that are not shown, which would briefly appear outdated.
      client.removeQueries({ queryKey: USERS, type: 'inactive' });
      return Promise.all([USERS, ['session']].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}

interface RoleBoxesProps {
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (roles: readonly string[]) => void;
}

/** Selects roles; new ones can be typed. */
export function RoleBoxes({ offered, chosen, onChange }: RoleBoxesProps) {
  const known = [...new Set([...offered, ...chosen])];
  const choose = (role: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, role] : chosen.filter((each) => each !== role));
  return (
    <fieldset>
      <legend>Roles</legend>
      <div className="checks">
        {known.map((role) => (
          <Checkbox
            key={role}
            label={role}
            isSet={chosen.includes(role)}
            onToggle={(isChosen) => choose(role, isChosen)}
          />
        ))}
      </div>
      <AddRole known={known} add={(role) => choose(role, true)} />
    </fieldset>
  );
}
