import type { Permission } from '../model/permission.ts';

/** Who may do what with an API. */
export interface AccessReport {
  /** Those that the grants name, sorted. */
  readonly roles: readonly string[];
  readonly resources: readonly GrantableResource[];
  /** What might be granted where nothing is; empty where something is. */
  readonly proposal: readonly WrittenGrants[];
}

/** What roles may do with a resource of the service: all that they may. */
export interface WrittenGrants {
  readonly name: string;
  /** Role to what it may do. */
  readonly grants: Readonly<Record<string, readonly Permission[]>>;
}

export interface GrantableResource extends WrittenGrants {
  readonly kind: 'entitySet' | 'singleton' | 'contained' | 'function' | 'action';
  /** What there are operations for. */
  readonly rights: readonly Permission[];
  /** Whether an overlay has a place for its grants; otherwise others decide about it. */
  readonly isGrantable: boolean;
}

export const NO_ACCESS: AccessReport = { roles: [], resources: [], proposal: [] };
