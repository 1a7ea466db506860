import { changePassword } from '../service/session.ts';
import { type CredentialField, CredentialsForm } from './credentials-form.tsx';

const FIELDS: readonly CredentialField[] = [
  {
    name: 'currentPassword',
    label: 'Current password',
    type: 'password',
    autoComplete: 'current-password',
  },
  {
    name: 'newPassword',
    label: 'New password',
    type: 'password',
    autoComplete: 'new-password',
    hint: 'At least 8 characters. A short sentence is hard to guess and easy to remember.',
  },
];

export function ChangePassword() {
  return (
    <section className="apart" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p className="hint above-form">
        Changing your password signs you out everywhere else. API keys keep working.
      </p>
      <CredentialsForm
        fields={FIELDS}
        submitLabel="Change the password"
        done="The password has been changed."
        submit={({ currentPassword = '', newPassword = '' }) => changePassword(currentPassword, newPassword)}
      />
    </section>
  );
}
