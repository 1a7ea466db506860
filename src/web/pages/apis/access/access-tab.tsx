import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { AddRole } from '../../../controls/add-role.tsx';
import {
  type Access,
  type GrantableResource,
  grantAccess,
  type ResourceGrants,
  RIGHTS,
  type Right,
  readAccess,
} from '../../../service/access.ts';
import type { Api } from '../../../service/registry.ts';
import { ADMINISTRATOR, USER } from '../../../service/session.ts';
import { Failure, FormFailure } from '../../../state/failure.tsx';
import { LoadingRows } from '../../../state/loading.tsx';
import { Notice } from '../../../state/notice.tsx';
import { DocumentProgress } from '../document-progress.tsx';
import { useApiChange, useRegistry } from '../use-api.ts';

/** Who may use an API, and for what. */
export function AccessTab({ api: { name, state } }: { readonly api: Api }) {
  const { data: registry } = useRegistry();
  const access = useQuery({
    queryKey: ['access', name],
    queryFn: ({ signal }) => readAccess(name, signal),
  });
  const saving = useApiChange((draft: GrantsDraft, progressId) =>
    grantAccess(name, access.data === undefined ? [] : changedGrants(draft, access.data), progressId),
  );
  return (
    <section aria-labelledby="access">
      <h2 id="access">Who may use it?</h2>
      {access.isPending && <LoadingRows />}
      {access.isError && (
        <Failure error={access.error} retry={() => access.refetch()} what="list of rights" />
      )}
      <FormFailure error={saving.error} />
      <div className="told" role="status">
        {saving.isPending && (
          <DocumentProgress id={saving.progressId} isServed={state !== 'registered'} otherwise="Saving …" />
        )}
        {saving.isSuccess && <p className="banner good">Saved. It takes effect immediately.</p>}
      </div>
      {access.isSuccess &&
        (access.data.resources.length === 0 ? (
          <Notice title="Nothing to grant yet">
            <p>This API has no entity sets. Settings shows why.</p>
          </Notice>
        ) : (
          <AccessForm
            key={JSON.stringify(access.data)}
            access={access.data}
            save={registry?.writable === true ? saving.mutate : undefined}
            isSaving={saving.isPending}
          />
        ))}
    </section>
  );
}

interface AccessFormProps {
  readonly access: Access;
  /** Undefined where nothing can be changed. */
  readonly save: ((draft: GrantsDraft) => void) | undefined;
  readonly isSaving: boolean;
}

/** What each role may do, one role at a time. */
function AccessForm({ access, save, isSaving }: AccessFormProps) {
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
          Nobody may use it yet. The checked boxes are a proposal: users may view, administrators may do
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

/** What each role may do with each resource, by the resource's name, as somebody is choosing it. */
type GrantsDraft = Readonly<Record<string, ResourceGrants['grants']>>;

/** What is granted, or what is proposed where nothing is. */
function draftOf({ resources, proposal }: Access): GrantsDraft {
  return grantsByName([...resources, ...proposal]);
}

function grantsByName(rows: readonly ResourceGrants[]): GrantsDraft {
  return Object.fromEntries(rows.map(({ name, grants }) => [name, grants]));
}

function isAllowed(draft: GrantsDraft, resource: string, role: string, right: Right): boolean {
  return draft[resource]?.[role]?.includes(right) === true;
}

/** The draft where a role may or may not do something with these resources, as far as it can be done with them at all. */
function withRight(
  draft: GrantsDraft,
  resources: readonly GrantableResource[],
  role: string,
  right: Right,
  isGiven: boolean,
): GrantsDraft {
  const changed = resources
    .filter(({ isGrantable, rights }) => isGrantable && rights.includes(right))
    .map(({ name }) => {
      const others = (draft[name]?.[role] ?? []).filter((each) => each !== right);
      return [name, { ...draft[name], [role]: isGiven ? [...others, right] : others }] as const;
    });
  return { ...draft, ...Object.fromEntries(changed) };
}

/** The resources whose grants are other than they are now. */
function changedGrants(draft: GrantsDraft, { resources }: Access): readonly ResourceGrants[] {
  return resources.flatMap(({ name, grants }) => {
    const chosen = draft[name] ?? {};
    return textOf(chosen) === textOf(grants) ? [] : [{ name, grants: chosen }];
  });
}

function textOf(grants: ResourceGrants['grants']): string {
  const roles = Object.entries(grants)
    .filter(([, rights]) => rights.length > 0)
    .map(([role, rights]) => `${role}: ${rights.toSorted().join()}`);
  return roles.sort().join('\n');
}
