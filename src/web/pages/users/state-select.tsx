import type { UserState } from '../../service/users.ts';

/** How a state is called. */
export const STATES: Readonly<Record<UserState, string>> = {
  active: 'Active',
  waiting: 'Waiting',
  disabled: 'Disabled',
};

/** What a text names; empty for all states where it is none of them. */
export function stateOf(text: string | null): UserState | '' {
  return text !== null && Object.hasOwn(STATES, text) ? (text as UserState) : '';
}

interface StateSelectProps {
  readonly value: UserState | '';
  readonly onChange: (state: UserState | '') => void;
}

export function StateSelect({ value, onChange }: StateSelectProps) {
  return (
    <label className="sort">
      <span className="visually-hidden">State</span>
      <select value={value} onChange={({ target }) => onChange(stateOf(target.value))}>
        <option value="">All states</option>
        {Object.entries(STATES).map(([state, label]) => (
          <option key={state} value={state}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
