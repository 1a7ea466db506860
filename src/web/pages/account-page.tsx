import { useMutation } from '@tanstack/react-query';
import { Navigate, useNavigate } from 'react-router';
import { type Session, signOut, useSession, useSessionChange } from '../service/session.ts';
import { ACCOUNT, SIGN_IN } from '../shell/addresses.ts';
import { Page } from '../shell/page.tsx';
import { Failure } from '../state/failure.tsx';
import { LoadingFields } from '../state/loading.tsx';
import { Notice } from '../state/notice.tsx';
import { ApiKeys } from './api-keys.tsx';

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
        <Notice title="There are no accounts here">
          <p>The gateway runs with AUTH=off: everybody may do everything.</p>
        </Notice>
      );
    case 'anonymous':
      return <Navigate to={`${SIGN_IN}?${new URLSearchParams({ return: ACCOUNT })}`} replace />;
    case 'user':
      return (
        <>
          <dl className="card facts">
            <dt>Name</dt>
            <dd>{session.name}</dd>
            <dt>E-mail</dt>
            <dd>{session.email}</dd>
            <dt>{session.roles.length === 1 ? 'Role' : 'Roles'}</dt>
            <dd>{session.roles.join(', ') || 'none'}</dd>
          </dl>
          <SignOut />
          <ApiKeys />
        </>
      );
  }
}

function SignOut() {
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      navigate('/', { replace: true });
      await changeSession();
    },
  });
  return (
    <>
      <button type="button" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        Sign out
      </button>
      {leaving.isError && <p className="problem">{leaving.error.message}</p>}
    </>
  );
}
