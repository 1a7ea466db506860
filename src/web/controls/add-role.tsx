import { useState } from 'react';

interface AddRoleProps {
  readonly known: readonly string[];
  readonly add: (role: string) => void;
}

/** Adds a role by name. The role exists once an account has it. */
export function AddRole({ known, add }: AddRoleProps) {
  const [name, setName] = useState('');
  const role = name.trim();
  const submit = (): void => {
    add(role);
    setName('');
  };
  return (
    <span className="buttons add-role">
      <input
        aria-label="Another role"
        placeholder="Another role"
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="button" disabled={role === '' || known.includes(role)} onClick={submit}>
        Add
      </button>
    </span>
  );
}
