import type { Access, GrantableResource, ResourceGrants, Right } from '../../../service/access.ts';

/** What each role may do with each resource, by the resource's name, as somebody is choosing it. */
export type GrantsDraft = Readonly<Record<string, ResourceGrants['grants']>>;

/** What is granted, or what is proposed where nothing is. */
export function draftOf({ resources, proposal }: Access): GrantsDraft {
  return grantsByName([...resources, ...proposal]);
}

function grantsByName(rows: readonly ResourceGrants[]): GrantsDraft {
  return Object.fromEntries(rows.map(({ name, grants }) => [name, grants]));
}

export function isAllowed(draft: GrantsDraft, resource: string, role: string, right: Right): boolean {
  return draft[resource]?.[role]?.includes(right) === true;
}

/** The draft where a role may or may not do something with these resources, as far as it can be done with them at all. */
export function withRight(
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
export function changedGrants(draft: GrantsDraft, { resources }: Access): readonly ResourceGrants[] {
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
