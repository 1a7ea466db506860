import type { Principal } from './principal.ts';

/** Tells apart those who may do different things; empty for whoever has no role. */
export function rightsName(principal: Principal): string {
  if (principal.kind !== 'user') return '';
  const { roles, scoped } = principal;
  if (scoped !== undefined) return JSON.stringify([scoped.roles, scoped.scope.text]);
  return roles.length === 0 ? '' : JSON.stringify(roles);
}
