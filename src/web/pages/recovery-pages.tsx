import { Link, useLocation } from 'react-router';
import { FORGOT_PASSWORD, SIGN_IN } from '../service/addresses.ts';
import { confirmAddress, forgotPassword, resetPassword } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { type CredentialField, CredentialsForm, NEW_PASSWORD_HINT } from './credentials-form.tsx';

const ADDRESS_FIELDS: readonly CredentialField[] = [
  { name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username' },
];

/** Requests a link for a new password. The response is the same for unknown addresses. */
export function ForgotPasswordPage() {
  return (
    <Page title="Forgot your password?">
      <p className="lead">We will send you a link to choose a new one.</p>
      <CredentialsForm
        fields={ADDRESS_FIELDS}
        submitLabel="Send the link"
        done="If there is an account with this address, the link is on its way. It is good for an hour."
        submit={({ email = '' }) => forgotPassword(email)}
      >
        <p className="hint">
          <Link to={SIGN_IN}>Back to sign-in</Link>
        </p>
      </CredentialsForm>
    </Page>
  );
}

const NEW_PASSWORD_FIELDS: readonly CredentialField[] = [
  {
    name: 'password',
    label: 'New password',
    type: 'password',
    autoComplete: 'new-password',
    hint: NEW_PASSWORD_HINT,
  },
];

/** Sets a password by a mailed link. */
export function ResetPasswordPage() {
  const token = useMailedToken();
  return (
    <Page title="Choose a new password">
      <p className="lead">You will be signed out everywhere.</p>
      <CredentialsForm
        fields={NEW_PASSWORD_FIELDS}
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

const CONFIRMATION_FIELDS: readonly CredentialField[] = [
  { name: 'password', label: 'Password', type: 'password', autoComplete: 'current-password' },
];

/**
 * Confirms an address by a mailed link and the password: mail scanners follow links, and someone else may
 * have signed up with the address.
 */
export function ConfirmPage() {
  const token = useMailedToken();
  return (
    <Page title="Confirm your address">
      <p className="lead">Enter the password that you signed up with.</p>
      <CredentialsForm
        fields={CONFIRMATION_FIELDS}
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

/** The token in the fragment of a mailed link, which browsers do not send to servers. */
function useMailedToken(): string {
  const { hash } = useLocation();
  return new URLSearchParams(hash.slice(1)).get('token') ?? '';
}
