import { Link } from 'react-router';
import { SIGN_IN } from '../service/addresses.ts';
import { RequestFailure } from '../service/failure.ts';

interface FormFailureProps {
  readonly error: Error | null;
  /** Whether an input shows what is wrong at that target. */
  readonly isAtField?: (target: string | undefined) => boolean;
}

/** Says above a form why it could not be sent, unless all of it stands at the fields. */
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
