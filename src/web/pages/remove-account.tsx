import { removeAccount } from '../service/session.ts';
import { type CredentialField, CredentialsForm } from './credentials-form.tsx';
import { useLeaving } from './use-leaving.ts';

const FIELDS: readonly CredentialField[] = [
  { name: 'password', label: 'Password', type: 'password', autoComplete: 'current-password' },
];

/** Opened on purpose, and with the password again: nothing brings an account back. */
export function RemoveAccount() {
  const leave = useLeaving();
  const submit = async ({ password = '' }): Promise<void> => {
    await removeAccount(password);
    await leave();
  };
  return (
    <details className="apart removal">
      <summary>Delete account</summary>
      <p className="hint above-form">
        This deletes your name, e-mail address, sessions and API keys. It cannot be undone.
      </p>
      <CredentialsForm fields={FIELDS} submitLabel="Delete my account" submit={submit} isDangerous />
    </details>
  );
}
