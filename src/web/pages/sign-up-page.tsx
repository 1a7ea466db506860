import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { returnAddress, SIGN_IN } from '../service/addresses.ts';
import { type Landing, landingQuery } from '../service/landing.ts';
import { RequestFailure } from '../service/request.ts';
import { signIn, signUp, useSessionChange } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { type CredentialField, CredentialsForm } from './credentials-form.tsx';
import { IssuerButtons } from './issuer-sign-in.tsx';

const FIELDS: readonly CredentialField[] = [
  { name: 'name', label: 'Name', type: 'text', autoComplete: 'name' },
  { name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username' },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autoComplete: 'new-password',
    hint: 'At least 8 characters. A short sentence is hard to guess and easy to remember.',
  },
];

export function SignUpPage() {
  const [state, setState] = useState<'waiting' | 'unconfirmed'>();
  const [parameters] = useSearchParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  const submit = async ({ name = '', email = '', password = '' }): Promise<void> => {
    const invitation = parameters.get('invitation') ?? undefined;
    const { isUnconfirmed } = await signUp({ name, email, password, invitation });
    if (isUnconfirmed) return setState('unconfirmed');
    // An account that an administrator has to approve is there, and lets nobody in yet.
    if (!(await canSignIn(email, password))) {
      setState('waiting');
      return;
    }
    navigate(returnAddress(parameters), { replace: true });
    await changeSession();
  };
  const { data: landing } = useQuery(landingQuery);
  const hasPasswords = landing?.passwords !== 'off';
  const reason = closedReason(landing?.signUp, parameters);
  if (reason !== undefined) {
    return (
      <Page title="Sign up">
        <p className="lead">{reason}</p>
        <p className="hint">
          Already have an account? <Link to={SIGN_IN}>Sign in</Link>
        </p>
      </Page>
    );
  }
  if (state === 'unconfirmed') {
    return (
      <Page title="Check your mail">
        <p className="lead" role="status">
          We have sent you a message. Follow the link in it to confirm your address.
        </p>
        <p className="hint">
          Nothing after a few minutes? Check your spam folder, or <Link to={SIGN_IN}>sign in</Link> to get
          another one.
        </p>
      </Page>
    );
  }
  return (
    <Page title="Sign up">
      {state === 'waiting' && (
        <p className="banner" role="status">
          Your account has been created. You can sign in as soon as an administrator has approved it.
        </p>
      )}
      <IssuerButtons issuers={landing?.issuers} hasOther={hasPasswords} />
      {hasPasswords && (
        <CredentialsForm
          fields={FIELDS}
          submitLabel="Sign up"
          submit={submit}
          initial={{ email: parameters.get('email') ?? '' }}
        >
          <p className="hint">
            Already have an account? <Link to={SIGN_IN + search}>Sign in</Link>
          </p>
        </CredentialsForm>
      )}
    </Page>
  );
}

/** Why nobody can sign up here; undefined where somebody can. */
function closedReason(signUp: Landing['signUp'], parameters: URLSearchParams): string | undefined {
  if (signUp === 'off') return 'Accounts for this service are created by an administrator.';
  if (signUp === 'invite' && !parameters.has('invitation'))
    return 'You need an invitation to sign up. Ask an administrator for one.';
  return undefined;
}

async function canSignIn(email: string, password: string): Promise<boolean> {
  try {
    await signIn(email, password);
    return true;
  } catch (error) {
    if (error instanceof RequestFailure && error.status === 401) return false;
    throw error;
  }
}
