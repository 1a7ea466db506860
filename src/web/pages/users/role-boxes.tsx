import { AddRole } from '../../controls/add-role.tsx';

interface RoleBoxesProps {
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (roles: readonly string[]) => void;
}

/** Roles to choose from; one that nobody has named yet can be typed. */
export function RoleBoxes({ offered, chosen, onChange }: RoleBoxesProps) {
  const known = [...new Set([...offered, ...chosen])];
  const choose = (role: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, role] : chosen.filter((each) => each !== role));
  return (
    <fieldset>
      <legend>Roles</legend>
      <div className="checks">
        {known.map((role) => (
          <label key={role} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(role)}
              onChange={({ target }) => choose(role, target.checked)}
            />
            {role}
          </label>
        ))}
      </div>
      <AddRole known={known} add={(role) => choose(role, true)} />
    </fieldset>
  );
}
