import type { AuditedAct } from '../../contract/audit.ts';
import type { ListedUser, UserChange } from './users.ts';

/** What a change does to an account that was so before, in the words of the audit. */
export function actsOf(
  { email, state }: Pick<ListedUser, 'email' | 'state'>,
  { roles, isEnabled }: UserChange,
): readonly AuditedAct[] {
  const enabling = state === 'waiting' ? 'approved an account' : 'enabled an account';
  return [
    ...(roles === undefined ? [] : [`set the roles of an account to ${roles.join(', ')}`]),
    ...(isEnabled === undefined ? [] : [isEnabled ? enabling : 'disabled an account']),
  ].map((action) => ({ action, subject: email }));
}
