import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../controls/field.tsx';
import { RIGHTS, type Right } from '../../service/access.ts';
import type { KeyScope } from '../../service/api-keys.ts';
import { landingQuery } from '../../service/landing.ts';

interface ScopeFieldProps {
  /** Undefined is all that the user may do. */
  readonly scope: KeyScope | undefined;
  readonly onChange: (scope: KeyScope | undefined) => void;
}

type Reach = 'all' | 'read' | 'chosen';

const SCOPES: Readonly<Record<Reach, KeyScope | undefined>> = {
  all: undefined,
  read: { '*': ['View'] },
  chosen: {},
};

/** What a key is good for. */
export function ScopeField({ scope, onChange }: ScopeFieldProps) {
  const [reach, setReach] = useState<Reach>('all');
  const choose = (chosen: Reach): void => {
    setReach(chosen);
    onChange(SCOPES[chosen]);
  };
  return (
    <>
      <Field label="It may">
        {({ id }) => (
          <select id={id} value={reach} onChange={({ target }) => choose(target.value as Reach)}>
            <option value="all">do everything that you may do</option>
            <option value="read">read everything that you may read</option>
            <option value="chosen">do what is ticked below</option>
          </select>
        )}
      </Field>
      {reach === 'chosen' && <ScopeTable scope={scope ?? {}} onChange={onChange} />}
    </>
  );
}

/** Whether something is still to be chosen. */
export function isEmptyScope(scope: KeyScope | undefined): boolean {
  return scope !== undefined && Object.keys(scope).length === 0;
}

interface ScopeTableProps {
  readonly scope: KeyScope;
  readonly onChange: (scope: KeyScope) => void;
}

interface ScopeRow {
  readonly name: string;
  readonly label: string;
  readonly rights: readonly string[];
}

function ScopeTable({ scope, onChange }: ScopeTableProps) {
  const { data: landing } = useQuery(landingQuery);
  const sets = landing?.entitySets ?? [];
  const rows: readonly ScopeRow[] = [
    { name: '*', label: 'Everything', rights: RIGHTS },
    ...sets.map(({ name, permissions }) => ({ name, label: name, rights: permissions })),
  ];
  return (
    <div className="card rights scope">
      <table>
        <caption className="visually-hidden">What the key may do, as far as you may do it</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            {RIGHTS.map((right) => (
              <th key={right} scope="col">
                {right}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, label, rights }) => (
            <tr key={name}>
              <th scope="row">{label}</th>
              {RIGHTS.map((right) => (
                <td key={right}>
                  {rights.includes(right) && (
                    <input
                      type="checkbox"
                      aria-label={`The key may ${right} ${label}`}
                      checked={scope[name]?.includes(right) === true}
                      onChange={({ target }) => onChange(withRight(scope, name, right, target.checked))}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function withRight(scope: KeyScope, name: string, right: Right, isGiven: boolean): KeyScope {
  const { [name]: held = [], ...others } = scope;
  const kept = held.filter((each) => each !== right);
  const rights = isGiven ? [...kept, right] : kept;
  return rights.length === 0 ? others : { ...others, [name]: rights };
}
