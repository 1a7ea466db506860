import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ACCOUNT } from '../service/addresses.ts';
import { useSession } from '../service/session.ts';
import { Notice } from './notice.tsx';

interface WithheldProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Stands in the place of what the user's role does not allow, and says who that user is. */
export function Withheld({ title, children }: WithheldProps) {
  const { data: session } = useSession();
  return (
    <Notice title={title} isAlert>
      <p>{children}</p>
      {session?.kind === 'user' && (
        <p>
          You are signed in as <Link to={ACCOUNT}>{session.email}</Link>. Ask whoever runs this service for
          the role that it takes.
        </p>
      )}
    </Notice>
  );
}
