import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddRole } from '../../../controls/add-role.tsx';
import { ActionButton, Form } from '../../../controls/inputs.tsx';
import { Section } from '../../../controls/section.tsx';
import { RightsTable } from '../../../controls/table.tsx';
import {
  type AccessReport,
  type GrantableResource,
  grantAccess,
  type Permission,
  RIGHTS,
  readAccess,
  type WrittenGrants,
} from '../../../service/access.ts';
import { ADMINISTRATOR, USER } from '../../../service/session.ts';
import { FormFailure } from '../../../state/failure.tsx';
import { Loaded } from '../../../state/loaded.tsx';
import { LoadingRows } from '../../../state/loading.tsx';
import { Notice } from '../../../state/notice.tsx';
import { ChangeStatus } from '../document-progress.tsx';
import { type TabProps, useApiChange } from '../use-api.ts';

/** The permissions of roles on an API. */
export function AccessTab({ api: { name, state }, isWritable }: TabProps) {
  const access = useQuery({
    queryKey: ['access', name],
    queryFn: ({ signal }) => readAccess(name, signal),
  });
  const saving = useApiChange((changed: readonly WrittenGrants[], progressId) =>
    grantAccess(name, changed, progressId),
  );
  return (
    <Section title="Who can use it?">
      <FormFailure error={saving.error} />
      <ChangeStatus
        change={saving}
        isServed={state !== 'registered'}
        otherwise="Saving …"
        done={saving.isSuccess && 'Saved. It takes effect immediately.'}
      />
      <Loaded query={access} what="list of permissions" pending={<LoadingRows />}>
        {(known) =>
          known.resources.length === 0 ? (
            <Notice title="Nothing to grant yet">
              <p>This API has no entity sets. Settings shows why.</p>
            </Notice>
          ) : (
            <AccessForm
              key={JSON.stringify(known)}
              access={known}
              save={isWritable ? saving.mutate : undefined}
              isSaving={saving.isPending}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

interface AccessFormProps {
  readonly access: AccessReport;
  /** Undefined if APIs are read-only. */
  readonly save: ((changed: readonly WrittenGrants[]) => void) | undefined;
  readonly isSaving: boolean;
}

/** The permissions of one role at a time. */
function AccessForm({ access, save, isSaving }: AccessFormProps) {
  const [draft, setDraft] = useState(() => draftOf(access));
  const [added, setAdded] = useState<readonly string[]>([]);
  const roles = [...new Set([...access.roles, USER, ADMINISTRATOR, ...added])];
  const [role, setRole] = useState(roles[0] ?? USER);
  const changed = changedGrants(draft, access);
  const add = (name: string): void => {
    setAdded([...added, name]);
    setRole(name);
  };
  return (
    <Form submit={() => save?.(changed)} aria-label="Who can use it">
      {access.proposal.length > 0 && (
        <p className="banner plain">
          Nobody can use it yet. The checked boxes are a proposal: users can view, administrators can do
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
      <RoleRights resources={access.resources} role={role} draft={draft} change={save && setDraft} />
      {save !== undefined && (
        <div className="buttons">
          <ActionButton
            label="Save"
            doing="Saving …"
            isPending={isSaving}
            isDisabled={changed.length === 0}
          />
        </div>
      )}
    </Form>
  );
}

interface RoleRightsProps {
  readonly resources: readonly GrantableResource[];
  readonly role: string;
  readonly draft: GrantsDraft;
  readonly change: ((draft: GrantsDraft) => void) | undefined;
}

function RoleRights({ resources, role, draft, change }: RoleRightsProps) {
  const rights = RIGHTS.filter((right) => resources.some((each) => each.rights.includes(right)));
  const box = (name: string, of: readonly GrantableResource[]) => (right: Permission) => (
    <RightBox resources={of} name={name} right={right} role={role} draft={draft} change={change} />
  );
  const all = { name: '*', label: 'All of them', box: box('all of them', resources) };
  const each = resources.map((resource) => ({
    name: resource.name,
    label: <ResourceLabel resource={resource} />,
    box: box(resource.name, [resource]),
  }));
  const rows = resources.length > 1 ? [all, ...each] : each;
  return <RightsTable caption={`What ${role} can do`} className="rights" rights={rights} rows={rows} />;
}

interface RightBoxProps extends RoleRightsProps {
  /** The name of the resources. */
  readonly name: string;
  readonly right: Permission;
}

/** A checkbox that is checked if the role has the permission on all resources that support it. */
function RightBox({ resources, name, role, draft, right, change }: RightBoxProps) {
  const offering = resources.filter(({ rights }) => rights.includes(right));
  if (offering.length === 0) return null;
  const grantable = offering.filter(({ isGrantable }) => isGrantable);
  const counted = grantable.length === 0 ? offering : grantable;
  const given = counted.filter((each) => isAllowed(draft, each.name, role, right)).length;
  const isAll = given === counted.length;
  return (
    <input
      type="checkbox"
      aria-label={`${role} may ${right} ${name}`}
      checked={isAll}
      ref={(element) => {
        if (element !== null) element.indeterminate = given > 0 && !isAll;
      }}
      disabled={change === undefined || grantable.length === 0}
      onChange={() => change?.(withRight(draft, grantable, role, right, !isAll))}
    />
  );
}

const KINDS: Readonly<Record<GrantableResource['kind'], string>> = {
  entitySet: '',
  singleton: 'singleton',
  contained: 'follows what contains it',
  function: 'function',
  action: 'action',
};

function ResourceLabel({ resource: { name, kind } }: { readonly resource: GrantableResource }) {
  return (
    <>
      {name} {KINDS[kind] !== '' && <span className="hint">{KINDS[kind]}</span>}
    </>
  );
}

/** The edited permissions by resource and role. */
type GrantsDraft = Readonly<Record<string, WrittenGrants['grants']>>;

/** The current grants, or the suggested ones if there are no grants. */
function draftOf({ resources, proposal }: AccessReport): GrantsDraft {
  return grantsByName([...resources, ...proposal]);
}

function grantsByName(rows: readonly WrittenGrants[]): GrantsDraft {
  return Object.fromEntries(rows.map(({ name, grants }) => [name, grants]));
}

function isAllowed(draft: GrantsDraft, resource: string, role: string, right: Permission): boolean {
  return draft[resource]?.[role]?.includes(right) === true;
}

/** The draft after granting or revoking a permission. */
function withRight(
  draft: GrantsDraft,
  resources: readonly GrantableResource[],
  role: string,
  right: Permission,
  isGiven: boolean,
): GrantsDraft {
  const changed = resources.map(({ name }) => {
    const others = (draft[name]?.[role] ?? []).filter((each) => each !== right);
    return [name, { ...draft[name], [role]: isGiven ? [...others, right] : others }] as const;
  });
  return { ...draft, ...Object.fromEntries(changed) };
}

/** The resources with changed grants. */
function changedGrants(draft: GrantsDraft, { resources }: AccessReport): readonly WrittenGrants[] {
  return resources.flatMap(({ name, grants }) => {
    const chosen = draft[name] ?? {};
    return textOf(chosen) === textOf(grants) ? [] : [{ name, grants: chosen }];
  });
}

function textOf(grants: WrittenGrants['grants']): string {
  const roles = Object.entries(grants)
    .filter(([, rights]) => rights.length > 0)
    .map(([role, rights]) => `${role}: ${rights.toSorted().join()}`);
  return roles.sort().join('\n');
}
