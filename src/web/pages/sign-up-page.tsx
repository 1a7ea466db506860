import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { returnAddress, SIGN_IN } from '../service/addresses.ts';
import { type Landing, landingQuery } from '../service/landing.ts';
import { RequestFailure } from '../service/request.ts';
import { signIn, signUp, useSessionChange } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { type CredentialField, CredentialsForm, NEW_PASSWORD_HINT } from './credentials-form.tsx';
import { IssuerButtons } from './issuer-sign-in.tsx';

const FIELDS: readonly CredentialField[] = [
  { name: 'name', label: 'Name', type: 'text', autoComplete: 'name' },
  { name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username' },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autoComplete: 'new-password',
    hint: NEW_PASSWORD_HINT,
  },
];

export function SignUpPage() {
  const { outcome, submit } = useSigningUp();
  const [parameters] = useSearchParams();
  const { search } = useLocation();
  const { data: landing } = useQuery(landingQuery);
  const hasPasswords = landing?.passwords !== 'off';
  const reason = closedReason(landing?.signUp, parameters);
  const signInLink = (
    <p className="hint">
      Already have an account? <Link to={SIGN_IN + search}>Sign in</Link>
    </p>
  );
  if (reason !== undefined) return <Explanation title="Sign up" text={reason} below={signInLink} />;
  if (outcome === 'waiting') return <Explanation title="Waiting for approval" text={WAITING} />;
  if (outcome === 'unconfirmed')
    return <Explanation title="Check your mail" text={UNCONFIRMED} below={<NoMail />} />;
  return (
    <Page title="Sign up">
      <IssuerButtons issuers={landing?.issuers} hasOther={hasPasswords} />
      {hasPasswords && (
        <CredentialsForm
          fields={FIELDS}
          submitLabel="Sign up"
          submit={submit}
          initial={{ email: parameters.get('email') ?? '' }}
        >
          {signInLink}
        </CredentialsForm>
      )}
    </Page>
  );
}

const WAITING = 'Your account has been created. You can sign in as soon as an administrator has approved it.';
const UNCONFIRMED = 'We have sent you a message. Follow the link in it to confirm your address.';

/** Signs up and in; the outcome explains if the sign-in has to wait. */
function useSigningUp() {
  const [outcome, setOutcome] = useState<'waiting' | 'unconfirmed'>();
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  const submit = async ({ name = '', email = '', password = '' }): Promise<void> => {
    const invitation = parameters.get('invitation') ?? undefined;
    const { isUnconfirmed } = await signUp({ name, email, password, invitation });
    if (isUnconfirmed) return setOutcome('unconfirmed');
    // The account exists, but an administrator has to approve it.
    if (!(await canSignIn(email, password))) return setOutcome('waiting');
    navigate(returnAddress(parameters), { replace: true });
    await changeSession();
  };
  return { outcome, submit };
}

interface ExplanationProps {
  readonly title: string;
  readonly text: string;
  readonly below?: ReactNode;
}

/** A page with an explanation in place of the form. */
function Explanation({ title, text, below }: ExplanationProps) {
  return (
    <Page title={title}>
      <p className="lead" role="status">
        {text}
      </p>
      {below}
    </Page>
  );
}

function NoMail() {
  return (
    <p className="hint">
      Nothing after a few minutes? Check your spam folder, or <Link to={SIGN_IN}>sign in</Link> to get another
      one.
    </p>
  );
}

/** The reason why the user cannot sign up; undefined if they can. */
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
