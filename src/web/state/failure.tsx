import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { SIGN_IN } from '../service/addresses.ts';
import { RequestFailure } from '../service/failure.ts';
import { Notice } from './notice.tsx';
import { Withheld } from './withheld.tsx';

interface FailureProps {
  readonly error: Error;
  readonly retry: () => void;
  /** What was asked for, in a word or two. */
  readonly what: string;
}

/** Says why something cannot be shown, and what can be done about it; whoever must sign in first is led there. */
export function Failure({ error, retry, what }: FailureProps) {
  const status = error instanceof RequestFailure ? error.status : undefined;
  switch (status) {
    case 401:
      return <ToSignIn />;
    case 403:
      return <Withheld title="You do not have access to this">{error.message}</Withheld>;
    case 404:
      return (
        <Notice title={`There is no such ${what}`}>
          <p>It may have been deleted, or the address is wrong.</p>
        </Notice>
      );
    case 0:
      return (
        <Retriable title="The gateway cannot be reached" retry={retry}>
          Check your connection, then try again.
        </Retriable>
      );
    case 502:
    case 503:
    case 504:
      return <UpstreamDown error={error} retry={retry} />;
    default:
      return (
        <Retriable title="Something went wrong" retry={retry}>
          {error.message}
        </Retriable>
      );
  }
}

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate to={`${SIGN_IN}?${new URLSearchParams({ return: pathname + search })}`} replace />;
}

function UpstreamDown({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const seconds = error instanceof RequestFailure ? error.retryAfter : undefined;
  return (
    <Retriable title="The API behind this service does not answer" retry={retry}>
      {error.message}
      {seconds !== undefined && ` Try again in ${seconds} seconds.`}
    </Retriable>
  );
}

interface RetriableProps {
  readonly title: string;
  readonly retry: () => void;
  readonly children: ReactNode;
}

function Retriable({ title, retry, children }: RetriableProps) {
  return (
    <Notice title={title} isAlert>
      <p>{children}</p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </Notice>
  );
}
