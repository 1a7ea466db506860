import { Link } from 'react-router';
import { FORGOT_PASSWORD, SIGN_IN } from '../../service/addresses.ts';
import { resetPassword } from '../../service/session.ts';
import { Page } from '../../shell/page.tsx';
import { type CredentialField, CredentialsForm } from '../credentials-form.tsx';
import { useMailedToken } from './mailed-token.ts';

const FIELDS: readonly CredentialField[] = [
  {
    name: 'password',
    label: 'New password',
    type: 'password',
    autoComplete: 'new-password',
    hint: 'At least 8 characters. A short sentence is hard to guess and easy to remember.',
  },
];

/** Chooses a password by a mailed link. */
export function ResetPasswordPage() {
  const token = useMailedToken();
  return (
    <Page title="Choose a new password">
      <p className="lead">You will be signed out everywhere.</p>
      <CredentialsForm
        fields={FIELDS}
        submitLabel="Choose the password"
        done="The password has been changed. You can sign in with it now."
        submit={({ password = '' }) => resetPassword(token, password)}
      >
        <p className="hint">
          <Link to={SIGN_IN}>Sign in</Link> · <Link to={FORGOT_PASSWORD}>Ask for another link</Link>
        </p>
      </CredentialsForm>
    </Page>
  );
}
