/** The role of those who see to accounts and APIs, and are shown the audit. */
export const ADMINISTRATOR = 'Admin';

/** The role of whoever signs up. */
export const USER = 'User';

export function isAdministrator({ roles }: { readonly roles: readonly string[] }): boolean {
  return roles.includes(ADMINISTRATOR);
}
