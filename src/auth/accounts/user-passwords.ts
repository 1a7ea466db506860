import { GatewayError } from '../../contract/gateway-error.ts';
import { orUnavailable } from '../database/accounts-store.ts';
import { LEAST_PASSWORD, LONGEST_PASSWORD } from '../passwords/password-hash.ts';
import type { ListedUser } from '../users/users.ts';
import type { Accounts } from './accounts.ts';
import { withChosenRoles } from './sign-up.ts';

/** An account as somebody else than its user makes it. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly roles: readonly string[];
}

/** What is done with the passwords of others. A password that is none is a BadRequest. */
export interface UserPasswords {
  /** Makes an account; a Conflict where the address has one. */
  addUser(user: NewUser): Promise<void>;
  /** Ends all sessions of the account. */
  setPassword(user: Pick<ListedUser, 'id'>, password: string): Promise<void>;
}

export function createUserPasswords(accounts: Accounts): UserPasswords {
  return {
    async addUser({ name, email, password, roles }) {
      checkPassword(password);
      const { internalAdapter, password: passwords } = await accounts.$context;
      const known = await orUnavailable(() => internalAdapter.findUserByEmail(email.toLowerCase()));
      if (known !== null) throw new GatewayError('Conflict', `There is an account of ${email} already.`);
      const hash = await passwords.hash(password);
      const fields = { name, email: email.toLowerCase(), emailVerified: true };
      await orUnavailable(() =>
        withChosenRoles(roles, () =>
          internalAdapter.createOAuthUser(fields, passwordAccount(fields.email, hash)),
        ),
      );
    },
    async setPassword({ id }, password) {
      checkPassword(password);
      const { adapter, internalAdapter, password: passwords } = await accounts.$context;
      const hash = await passwords.hash(password);
      await orUnavailable(async () => {
        const known = await internalAdapter.findAccounts(id);
        if (known.some(({ providerId }) => providerId === 'credential'))
          await internalAdapter.updatePassword(id, hash);
        else await internalAdapter.linkAccount(passwordAccount(id, hash));
        await internalAdapter.deleteUserSessions(id);
        // Mailed links would choose yet another password.
        await adapter.deleteMany({ model: 'verification', where: [{ field: 'value', value: id }] });
      });
    },
  };
}

/** How better-auth keeps the password of an account. */
function passwordAccount(userId: string, hash: string) {
  return { userId, accountId: userId, providerId: 'credential', password: hash };
}

/** Throws BadRequest where it is too short or too long. */
export function checkPassword({ length }: string): void {
  if (length >= LEAST_PASSWORD && length <= LONGEST_PASSWORD) return;
  const expected = `${LEAST_PASSWORD} to ${LONGEST_PASSWORD} characters`;
  throw new GatewayError('BadRequest', `The password must have ${expected}, but has ${length}.`);
}
