import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { ACCOUNT, SIGN_IN } from '../service/addresses.ts';
import { waysQuery } from '../service/issuers.ts';
import { landingQuery } from '../service/landing.ts';
import { type Session, signOut, signOutElsewhere, useSession } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { Failure } from '../state/failure.tsx';
import { FormFailure } from '../state/form-failure.tsx';
import { LoadingFields } from '../state/loading.tsx';
import { Notice } from '../state/notice.tsx';
import { ChangePassword } from './change-password.tsx';
import { IssuerOutcome } from './issuers/issuer-outcome.tsx';
import { WaysToSignIn } from './issuers/ways-to-sign-in.tsx';
import { ApiKeys } from './keys/api-keys.tsx';
import { RemoveAccount } from './remove-account.tsx';
import { useLeaving } from './use-leaving.ts';

export function AccountPage() {
  const session = useSession();
  return (
    <Page title="Account">
      {session.isPending && <LoadingFields count={3} />}
      {session.isError && <Failure error={session.error} retry={() => session.refetch()} what="account" />}
      {session.data !== undefined && <Account session={session.data} />}
    </Page>
  );
}

function Account({ session }: { readonly session: Session }) {
  switch (session.kind) {
    case 'open':
      return (
        <Notice title="Accounts are switched off">
          <p>The gateway runs without accounts (AUTH=off): everybody can do everything.</p>
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

/** What has to do with a password is for accounts that have one. */
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
