import { useQuery } from '@tanstack/react-query';
import { type Invitation, readInvitations, withdrawInvitation } from '../../service/users.ts';
import { Failure } from '../../state/failure.tsx';
import { FormFailure } from '../../state/form-failure.tsx';
import { USERS, useUserChange } from './use-user-change.ts';

/** The invitations that nobody has used yet. */
export function OpenInvitations() {
  const invitations = useQuery({
    queryKey: [...USERS, 'invitations'],
    queryFn: ({ signal }) => readInvitations(signal),
  });
  const withdrawing = useUserChange(withdrawInvitation);
  if (invitations.isError)
    return (
      <Failure error={invitations.error} retry={() => invitations.refetch()} what="list of invitations" />
    );
  if (invitations.data === undefined || invitations.data.length === 0) return null;
  return (
    <>
      <h3>Open invitations</h3>
      <FormFailure error={withdrawing.error} />
      <ul className="card keys" aria-label="Open invitations">
        {invitations.data.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            withdraw={() => withdrawing.mutate(invitation.id)}
          />
        ))}
      </ul>
    </>
  );
}

interface InvitationRowProps {
  readonly invitation: Invitation;
  readonly withdraw: () => void;
}

function InvitationRow({ invitation, withdraw }: InvitationRowProps) {
  const { email, roles, invitedBy, expiresAt } = invitation;
  return (
    <li className="key-row">
      <div className="key-text">
        <p className="key-name">{email}</p>
        <p className="key-scope">{roles.join(', ')}</p>
        <p className="hint">
          invited by {invitedBy ?? 'the command line'} · good until {new Date(expiresAt).toLocaleDateString()}
        </p>
      </div>
      <button type="button" aria-label={`Withdraw the invitation of ${email}`} onClick={withdraw}>
        Withdraw
      </button>
    </li>
  );
}
