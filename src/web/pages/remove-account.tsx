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
      <summary>Remove the account</summary>
      <p className="hint above-form">
        Your name, your address, your sessions and your API keys are removed, and cannot be brought back.
      </p>
      <CredentialsForm fields={FIELDS} submitLabel="Remove my account" submit={submit} isDangerous />
    </details>
  );
}
