import { Component, type ReactNode } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { ACCOUNT, SIGN_IN } from '../service/addresses.ts';
import { RequestFailure } from '../service/request.ts';
import { useSession } from '../service/session.ts';
import { Notice } from './notice.tsx';

interface FailureProps {
  readonly error: Error;
  readonly retry: () => void;
  /** The name of the missing content. */
  readonly what: string;
}

/** Explains why something cannot be shown, and offers a remedy, such as signing in. */
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

interface FormFailureProps {
  readonly error: Error | null;
  /** Whether an input shows the error with that target. */
  readonly isAtField?: ((target: string | undefined) => boolean) | undefined;
}

/** Shows the error of a form above its inputs, unless the inputs show all of it. */
export function FormFailure({ error, isAtField = () => false }: FormFailureProps) {
  if (error === null) return null;
  const mistakes = error instanceof RequestFailure ? error.mistakes : [];
  const elsewhere = mistakes.filter(({ target }) => !isAtField(target));
  if (mistakes.length > 0 && elsewhere.length === 0) return null;
  const messages = elsewhere.length > 0 ? elsewhere.map(({ message }) => message) : [error.message];
  const status = error instanceof RequestFailure ? error.status : undefined;
  return (
    <div className="banner bad" role="alert">
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
      {status === 401 && <Link to={SIGN_IN}>Sign in</Link>}
    </div>
  );
}

/** The service's messages for the fields of a form, by name. */
export function fieldMistakes<Name extends string>(
  error: Error | null,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const mistakes = error instanceof RequestFailure ? error.mistakes : [];
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const mistake = mistakes.find(({ target }) => target === name);
    if (mistake !== undefined) found[name] = mistake.message;
  }
  return found;
}

interface WithheldProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Replaces content that the user's role does not permit, and names the user. */
export function Withheld({ title, children }: WithheldProps) {
  const { data: session } = useSession();
  return (
    <Notice title={title} isAlert>
      <p>{children}</p>
      {session?.kind === 'user' && (
        <p>
          You are signed in as <Link to={ACCOUNT}>{session.email}</Link>. Ask the operator of this service for
          the required role.
        </p>
      )}
    </Notice>
  );
}

interface FailureBoundaryProps {
  readonly children: ReactNode;
}

/** Replaces a page that fails to render, within its frame. React requires a class for this. */
export class FailureBoundary extends Component<FailureBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Notice title="This page cannot be shown" isAlert>
        <p>
          Something went wrong on this page. Reload it. If that does not help, contact the operator of this
          service.
        </p>
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      </Notice>
    );
  }
}
