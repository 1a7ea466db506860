import { useQuery } from '@tanstack/react-query';
import { landingQuery } from '../../service/landing.ts';
import { invite, makeUser } from '../../service/users.ts';
import { NewUserForm } from './new-user-form.tsx';
import { OpenInvitations } from './open-invitations.tsx';

const LIVES = [1, 7, 30];

/** How others come to have an account. */
export function InviteSection({ roles }: { readonly roles: readonly string[] }) {
  const { data: landing } = useQuery(landingQuery);
  const mayInvite = landing !== undefined && landing.signUp !== 'off';
  const isMailed = landing?.mail === true;
  return (
    <>
      {mayInvite && (
        <section className="apart" aria-labelledby="invite">
          <h2 id="invite">Invite somebody</h2>
          <p className="above-form">
            {isMailed
              ? 'The link that this makes is mailed. It is good once, for this address.'
              : 'This makes a link that you hand on yourself: nothing is mailed. It is good once, for this address.'}
          </p>
          <NewUserForm
            title="Invite somebody"
            offered={roles}
            lives={LIVES}
            submitLabel="Make an invitation"
            submit={invite}
            told={({ email }) =>
              isMailed
                ? `This link is on its way to ${email}. It is not shown again:`
                : `Hand this link on to ${email}. It is not shown again:`
            }
            what="the link"
          />
          <OpenInvitations />
        </section>
      )}
      <details className="apart removal" open={landing?.signUp === 'off'}>
        <summary>Make an account yourself</summary>
        <NewUserForm
          title="Make an account"
          offered={roles}
          hasName
          submitLabel="Make the account"
          submit={makeUser}
          told={({ email }) => `Hand this password on to ${email}. It is not shown again:`}
          what="the password"
        />
      </details>
    </>
  );
}
