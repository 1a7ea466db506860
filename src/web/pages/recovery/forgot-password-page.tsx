import { Link } from 'react-router';
import { SIGN_IN } from '../../service/addresses.ts';
import { forgotPassword } from '../../service/session.ts';
import { Page } from '../../shell/page.tsx';
import { type CredentialField, CredentialsForm } from '../credentials-form.tsx';

const FIELDS: readonly CredentialField[] = [
  { name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username' },
];

/** Has a link for a new password mailed; nobody learns here whether an address has an account. */
export function ForgotPasswordPage() {
  return (
    <Page title="Forgot your password?">
      <p className="lead">We send you a link to choose a new one.</p>
      <CredentialsForm
        fields={FIELDS}
        submitLabel="Send the link"
        done="If there is an account with this address, the link is on its way. It is good for an hour."
        submit={({ email = '' }) => forgotPassword(email)}
      >
        <p className="hint">
          <Link to={SIGN_IN}>Back to signing in</Link>
        </p>
      </CredentialsForm>
    </Page>
  );
}
