import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate } from 'react-router';
import { Section } from '../controls/section.tsx';
import { ACCOUNT, SIGN_IN } from '../service/addresses.ts';
import { landingQuery } from '../service/landing.ts';
import {
  changePassword,
  goToIssuer,
  removeAccount,
  type Session,
  signOut,
  signOutElsewhere,
  useSession,
  useSessionChange,
  type WaysToSignIn as Ways,
  waysQuery,
} from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { FormFailure } from '../state/failure.tsx';
import { Loaded } from '../state/loaded.tsx';
import { LoadingFields } from '../state/loading.tsx';
import { Notice } from '../state/notice.tsx';
import { type CredentialField, CredentialsForm, NEW_PASSWORD_HINT } from './credentials-form.tsx';
import { IssuerOutcome } from './issuer-sign-in.tsx';
import { ApiKeys } from './keys/api-keys.tsx';

export function AccountPage() {
  const session = useSession();
  return (
    <Page title="Account">
      <Loaded query={session} what="account" pending={<LoadingFields count={3} />}>
        {(known) => <Account session={known} />}
      </Loaded>
    </Page>
  );
}

function Account({ session }: { readonly session: Session }) {
  switch (session.kind) {
    case 'open':
      return (
        <Notice title="Accounts are switched off">
          <p>The gateway runs without accounts (AUTH=off): everyone can do everything.</p>
        </Notice>
      );
    case 'anonymous':
      return <Navigate to={`${SIGN_IN}?${new URLSearchParams({ return: ACCOUNT })}`} replace />;
    case 'user':
      return (
        <>
          <IssuerOutcome />
          <dl className="card facts">
            <dt>Name</dt>
            <dd>{session.name}</dd>
            <dt>E-mail</dt>
            <dd>{session.email}</dd>
            <dt>{session.roles.length === 1 ? 'Role' : 'Roles'}</dt>
            <dd>{session.roles.join(', ') || 'none'}</dd>
          </dl>
          <SignOut />
          <SigningIn />
        </>
      );
  }
}

/** Sections about passwords are shown only if the account has one. */
function SigningIn() {
  const { data: landing } = useQuery(landingQuery);
  const hasIssuers = landing?.issuers !== undefined;
  const { data: ways } = useQuery({ ...waysQuery, enabled: hasIssuers });
  const hasPassword = !hasIssuers || ways?.hasPassword === true;
  return (
    <>
      <ApiKeys />
      {hasIssuers && <WaysToSignIn />}
      {hasPassword && landing?.passwords !== 'off' && <ChangePassword />}
      {hasPassword && <RemoveAccount />}
      {ways?.hasPassword === false && (
        <p className="hint apart">To have your account deleted, ask an administrator.</p>
      )}
    </>
  );
}

function SignOut() {
  const leave = useLeaving();
  const leaving = useMutation({ mutationFn: signOut, onSuccess: leave });
  const elsewhere = useMutation({ mutationFn: signOutElsewhere });
  return (
    <>
      <div className="buttons">
        <button type="button" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
          Sign out
        </button>
        <button type="button" disabled={elsewhere.isPending} onClick={() => elsewhere.mutate()}>
          Sign out everywhere else
        </button>
      </div>
      <FormFailure error={leaving.error ?? elsewhere.error} />
      <p role="status" className="hint below-buttons">
        {elsewhere.isSuccess && 'You are signed out everywhere else.'}
      </p>
    </>
  );
}

const PASSWORD_FIELDS: readonly CredentialField[] = [
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
    hint: NEW_PASSWORD_HINT,
  },
];

function ChangePassword() {
  return (
    <Section title="Password" className="apart">
      <p className="hint above-form">
        Changing your password signs you out everywhere else. API keys keep working.
      </p>
      <CredentialsForm
        fields={PASSWORD_FIELDS}
        submitLabel="Change the password"
        done="The password has been changed."
        submit={({ currentPassword = '', newPassword = '' }) => changePassword(currentPassword, newPassword)}
      />
    </Section>
  );
}

const REMOVAL_FIELDS: readonly CredentialField[] = [
  { name: 'password', label: 'Password', type: 'password', autoComplete: 'current-password' },
];

/** Requires opening the dialog and entering the password, because deletion is final. */
function RemoveAccount() {
  const leave = useLeaving();
  const submit = async ({ password = '' }): Promise<void> => {
    await removeAccount(password);
    await leave();
  };
  return (
    <details className="apart removal">
      <summary>Delete account</summary>
      <p className="hint above-form">
        This deletes your name, e-mail address, sessions and API keys. It cannot be undone.
      </p>
      <CredentialsForm fields={REMOVAL_FIELDS} submitLabel="Delete my account" submit={submit} isDangerous />
    </details>
  );
}

/** Clears all data of the user after signing out. */
function useLeaving(): () => Promise<void> {
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  return async () => {
    navigate('/', { replace: true });
    await changeSession();
  };
}

/** The ways to sign in to the account, and further available ones. */
function WaysToSignIn() {
  const ways = useQuery(waysQuery);
  return (
    <Section title="Ways to sign in" className="apart">
      <Loaded query={ways} what="ways to sign in" pending={<LoadingFields count={2} />}>
        {(known) => <WayList ways={known} />}
      </Loaded>
    </Section>
  );
}

function WayList({ ways }: { readonly ways: Ways }) {
  const connecting = useMutation({
    mutationFn: (issuer: Ways['issuers'][number]) => goToIssuer(issuer, 'connect'),
  });
  return (
    <>
      <FormFailure error={connecting.error} />
      <dl className="card facts">
        <dt>Password</dt>
        <dd>{ways.hasPassword ? 'Set' : 'None'}</dd>
        {ways.issuers.map((issuer) => [
          <dt key={`${issuer.path} name`}>{issuer.name}</dt>,
          <dd key={issuer.path}>
            {issuer.isConnected ? (
              'Connected'
            ) : (
              <button type="button" disabled={connecting.isPending} onClick={() => connecting.mutate(issuer)}>
                Connect {issuer.name}
              </button>
            )}
          </dd>,
        ])}
      </dl>
    </>
  );
}
