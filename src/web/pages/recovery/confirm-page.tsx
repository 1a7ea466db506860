import { Link } from 'react-router';
import { FORGOT_PASSWORD, SIGN_IN } from '../../service/addresses.ts';
import { confirmAddress } from '../../service/session.ts';
import { Page } from '../../shell/page.tsx';
import { type CredentialField, CredentialsForm } from '../credentials-form.tsx';
import { useMailedToken } from './mailed-token.ts';

const FIELDS: readonly CredentialField[] = [
  { name: 'password', label: 'Password', type: 'password', autoComplete: 'current-password' },
];

/**
 * Confirms an address by a mailed link and the password: programs that look at mail follow links, and somebody else
 * may have signed up with the address.
 */
export function ConfirmPage() {
  const token = useMailedToken();
  return (
    <Page title="Confirm your address">
      <p className="lead">Give the password that you have signed up with.</p>
      <CredentialsForm
        fields={FIELDS}
        submitLabel="Confirm"
        done="Your address is confirmed. You can sign in now."
        submit={({ password = '' }) => confirmAddress(token, password)}
      >
        <p className="hint">
          <Link to={SIGN_IN}>Sign in</Link> · <Link to={FORGOT_PASSWORD}>Forgot your password?</Link>
        </p>
      </CredentialsForm>
    </Page>
  );
}
