import { useState } from 'react';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { RequestFailure } from '../service/failure.ts';
import { signIn, signUp, useSessionChange } from '../service/session.ts';
import { SIGN_IN } from '../shell/addresses.ts';
import { Page } from '../shell/page.tsx';
import { type CredentialField, CredentialsForm } from './credentials-form.tsx';
import { returnAddress } from './return-address.ts';

const FIELDS: readonly CredentialField[] = [
  { name: 'name', label: 'Name', type: 'text', autoComplete: 'name' },
  { name: 'email', label: 'E-mail', type: 'email', autoComplete: 'username' },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autoComplete: 'new-password',
    hint: 'At least 8 characters. A short sentence is easy to remember.',
  },
];

export function SignUpPage() {
  const [isKnown, setKnown] = useState(false);
  const [parameters] = useSearchParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  const submit = async ({ name = '', email = '', password = '' }): Promise<void> => {
    await signUp(name, email, password);
    // The answer is the same where the address has an account already: then only its password signs in.
    if (!(await canSignIn(email, password))) {
      setKnown(true);
      return;
    }
    navigate(returnAddress(parameters), { replace: true });
    await changeSession();
  };
  return (
    <Page title="Sign up">
      {isKnown && (
        <p className="banner bad" role="alert">
          This address may have an account already.{' '}
          <Link to={SIGN_IN + search}>Sign in with its password</Link>
        </p>
      )}
      <CredentialsForm fields={FIELDS} submitLabel="Sign up" submit={submit}>
        <p className="hint">
          You have an account? <Link to={SIGN_IN + search}>Sign in</Link>
        </p>
      </CredentialsForm>
    </Page>
  );
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
