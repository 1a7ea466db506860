import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { FORGOT_PASSWORD, returnAddress, SIGN_UP } from '../service/addresses.ts';
import { landingQuery } from '../service/landing.ts';
import { signIn, useSessionChange } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { type CredentialField, CredentialsForm } from './credentials-form.tsx';
import { IssuerButtons, IssuerOutcome } from './issuer-sign-in.tsx';

const FIELDS: readonly CredentialField[] = [
  { name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username' },
  { name: 'password', label: 'Password', type: 'password', autoComplete: 'current-password' },
];

export function SignInPage() {
  const [parameters] = useSearchParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  const { data: landing } = useQuery(landingQuery);
  const hasPasswords = landing?.passwords !== 'off';
  const maySignUp = landing?.signUp !== 'off' && landing?.signUp !== 'invite';
  const submit = async ({ email = '', password = '' }): Promise<void> => {
    await signIn(email, password);
    navigate(returnAddress(parameters), { replace: true });
    await changeSession();
  };
  return (
    <Page title="Sign in">
      {parameters.has('return') && <p className="lead">Sign in to see this page.</p>}
      <IssuerOutcome />
      <IssuerButtons issuers={landing?.issuers} hasOther={hasPasswords} />
      {hasPasswords && (
        <CredentialsForm fields={FIELDS} submitLabel="Sign in" submit={submit}>
          {maySignUp && (
            <p className="hint">
              No account yet? <Link to={SIGN_UP + search}>Sign up</Link>
            </p>
          )}
          {landing?.mail === true ? (
            <>
              <p className="hint">
                <Link to={FORGOT_PASSWORD}>Forgot your password?</Link>
              </p>
              <p className="hint">
                Just signed up? First follow the link that we sent you. If you sign in before that, we will
                send you another one.
              </p>
            </>
          ) : (
            <p className="hint">Forgot your password? Ask the operator of this service to set a new one.</p>
          )}
        </CredentialsForm>
      )}
    </Page>
  );
}
