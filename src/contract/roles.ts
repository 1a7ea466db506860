/** The role of those who see to accounts and APIs, and are shown the audit. */
export const ADMINISTRATOR = 'Admin';

/** The role of whoever signs up. */
export const USER = 'User';

export function isAdministrator({ roles }: { readonly roles: readonly string[] }): boolean {
  return roles.includes(ADMINISTRATOR);
}

/** How many roles somebody may have; tokens name them all. */
export const MOST_ROLES = 50;

/** Whether a text may be the name of a role: grants name roles, and accounts have them. */
export function isRoleName(text: string): boolean {
  return /^[\p{L}\p{N}_.:/-]{1,64}$/u.test(text);
}
