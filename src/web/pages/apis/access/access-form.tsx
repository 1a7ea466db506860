import { type FormEvent, useState } from 'react';
import { AddRole } from '../../../controls/add-role.tsx';
import { type Access, type GrantableResource, RIGHTS, type Right } from '../../../service/access.ts';
import { ADMINISTRATOR, USER } from '../../../service/session.ts';
import { changedGrants, draftOf, type GrantsDraft, isAllowed, withRight } from './grants-draft.ts';

interface AccessFormProps {
  readonly access: Access;
  /** Undefined where nothing can be changed. */
  readonly save: ((draft: GrantsDraft) => void) | undefined;
  readonly isSaving: boolean;
}

/** What each role may do, one role at a time. */
export function AccessForm({ access, save, isSaving }: AccessFormProps) {
  const [draft, setDraft] = useState(() => draftOf(access));
  const [added, setAdded] = useState<readonly string[]>([]);
  const roles = [...new Set([...access.roles, USER, ADMINISTRATOR, ...added])];
  const [role, setRole] = useState(roles[0] ?? USER);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save?.(draft);
  };
  const add = (name: string): void => {
    setAdded([...added, name]);
    setRole(name);
  };
  return (
    <form onSubmit={submit} aria-label="Who may use it">
      {access.proposal.length > 0 && (
        <p className="banner plain">
          Nobody may use it yet. What is ticked is a proposal: users may look, administrators may do
          everything.
        </p>
      )}
      <div className="buttons roles">
        {roles.map((name) => (
          <button key={name} type="button" aria-pressed={name === role} onClick={() => setRole(name)}>
            {name}
          </button>
        ))}
        {save !== undefined && <AddRole known={roles} add={add} />}
      </div>
      <RightsTable resources={access.resources} role={role} draft={draft} change={save && setDraft} />
      {save !== undefined && (
        <div className="buttons">
          <button
            type="submit"
            className="primary"
            disabled={isSaving || changedGrants(draft, access).length === 0}
          >
            {isSaving ? 'Saving …' : 'Save'}
          </button>
        </div>
      )}
    </form>
  );
}

interface RightsTableProps {
  readonly resources: readonly GrantableResource[];
  readonly role: string;
  readonly draft: GrantsDraft;
  readonly change: ((draft: GrantsDraft) => void) | undefined;
}

function RightsTable({ resources, role, draft, change }: RightsTableProps) {
  const rights = RIGHTS.filter((right) => resources.some((each) => each.rights.includes(right)));
  const give = (to: readonly GrantableResource[], right: Right, isGiven: boolean): void =>
    change?.(withRight(draft, to, role, right, isGiven));
  return (
    <div className="card rights">
      <table>
        <caption className="visually-hidden">What {role} may do</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            {rights.map((right) => (
              <th key={right} scope="col">
                {right}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.length > 1 && (
            <tr>
              <th scope="row">All of them</th>
              {rights.map((right) => (
                <td key={right}>
                  <AllBox {...{ resources, role, draft, right, give }} isFixed={change === undefined} />
                </td>
              ))}
            </tr>
          )}
          {resources.map((resource) => (
            <ResourceRow
              key={resource.name}
              {...{ resource, rights, role, draft, give }}
              isFixed={change === undefined}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Give = (to: readonly GrantableResource[], right: Right, isGiven: boolean) => void;

interface AllBoxProps {
  readonly resources: readonly GrantableResource[];
  readonly role: string;
  readonly draft: GrantsDraft;
  readonly right: Right;
  readonly give: Give;
  readonly isFixed: boolean;
}

function AllBox({ resources, role, draft, right, give, isFixed }: AllBoxProps) {
  const possible = resources.filter(({ isGrantable, rights }) => isGrantable && rights.includes(right));
  const given = possible.filter(({ name }) => isAllowed(draft, name, role, right)).length;
  const isAll = possible.length > 0 && given === possible.length;
  return (
    <input
      type="checkbox"
      aria-label={`${role} may ${right} all of them`}
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = given > 0 && !isAll;
      }}
      disabled={isFixed || possible.length === 0}
      onChange={() => give(possible, right, !isAll)}
    />
  );
}

interface ResourceRowProps {
  readonly resource: GrantableResource;
  readonly rights: readonly Right[];
  readonly role: string;
  readonly draft: GrantsDraft;
  readonly give: Give;
  readonly isFixed: boolean;
}

const KINDS: Readonly<Record<GrantableResource['kind'], string>> = {
  entitySet: '',
  singleton: 'one of it',
  contained: 'as what contains it says',
  function: 'function',
  action: 'action',
};

function ResourceRow({ resource, rights, role, draft, give, isFixed }: ResourceRowProps) {
  const { name, kind, isGrantable } = resource;
  return (
    <tr>
      <th scope="row">
        {name} {KINDS[kind] !== '' && <span className="hint">{KINDS[kind]}</span>}
      </th>
      {rights.map((right) => (
        <td key={right}>
          {resource.rights.includes(right) && (
            <input
              type="checkbox"
              aria-label={`${role} may ${right} ${name}`}
              checked={isAllowed(draft, name, role, right)}
              disabled={isFixed || !isGrantable}
              onChange={({ target }) => give([resource], right, target.checked)}
            />
          )}
        </td>
      ))}
    </tr>
  );
}
