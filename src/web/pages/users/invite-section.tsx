import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionButton, Form, SelectField, TextField } from '../../controls/inputs.tsx';
import { Day } from '../../controls/moment.tsx';
import { RevocableItem, ShownOnce } from '../../controls/secrets.tsx';
import { Section } from '../../controls/section.tsx';
import { landingQuery } from '../../service/landing.ts';
import { USER } from '../../service/session.ts';
import {
  type Invitation,
  invite,
  makeUser,
  readInvitations,
  withdrawInvitation,
} from '../../service/users.ts';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { RoleBoxes, USERS, useUserChange } from './use-user-change.tsx';

const LIVES = [1, 7, 30];

/** Invites users or creates accounts. */
export function InviteSection({ roles }: { readonly roles: readonly string[] }) {
  const { data: landing } = useQuery(landingQuery);
  const mayInvite = landing !== undefined && landing.signUp !== 'off';
  const isMailed = landing?.mail === true;
  return (
    <>
      {mayInvite && (
        <Section title="Invite someone" className="apart">
          <p className="above-form">
            {isMailed
              ? 'The invitation is sent by e-mail. It works once, for this address.'
              : 'You get a link to pass on yourself; no e-mail is sent. It works once, for this address.'}
          </p>
          <NewUserForm
            title="Invite someone"
            offered={roles}
            lives={LIVES}
            submitLabel="Create invitation"
            submit={invite}
            told={({ email }) =>
              isMailed
                ? `This link is on its way to ${email}. It will not be shown again:`
                : `Send this link to ${email}. It will not be shown again:`
            }
            what="the link"
          />
          <OpenInvitations />
        </Section>
      )}
      <details className="apart removal" open={landing?.signUp === 'off'}>
        <summary>Create an account yourself</summary>
        <NewUserForm
          title="Create an account"
          offered={roles}
          hasName
          submitLabel="Create account"
          submit={makeUser}
          told={({ email }) => `Give this password to ${email}. It will not be shown again:`}
          what="the password"
        />
      </details>
    </>
  );
}

/** The fields of a new account. */
interface Newcomer {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** The validity of an invitation. */
  readonly days: number;
}

interface NewUserFormProps {
  readonly title: string;
  /** The roles that some permission is granted to. */
  readonly offered: readonly string[];
  readonly hasName?: boolean;
  /** The selectable validity in days. */
  readonly lives?: readonly number[];
  readonly submitLabel: string;
  /** Returns a text that is shown only once. */
  readonly submit: (newcomer: Newcomer) => Promise<string>;
  /** The explanation above that text. */
  readonly told: (newcomer: Newcomer) => string;
  /** The name of that text. */
  readonly what: string;
}

const NOBODY: Newcomer = { name: '', email: '', roles: [USER], days: 7 };

function NewUserForm(props: NewUserFormProps) {
  const { title, offered, hasName = false, lives = [], submitLabel, submit, told, what } = props;
  const [newcomer, setNewcomer] = useState(NOBODY);
  const sending = useUserChange(submit, () => setNewcomer(NOBODY));
  const set = (change: Partial<Newcomer>): void => setNewcomer({ ...newcomer, ...change });
  return (
    <Form
      className="card form"
      submit={() => sending.mutate(newcomer)}
      error={sending.error}
      aria-label={title}
    >
      <div className="told" role="status">
        {sending.isSuccess && (
          <ShownOnce text={sending.data} what={what}>
            {told(sending.variables)}
          </ShownOnce>
        )}
      </div>
      {hasName && (
        <TextField
          label="Name"
          required
          maxLength={100}
          value={newcomer.name}
          onChange={(name) => set({ name })}
        />
      )}
      <TextField
        label="E-mail"
        type="email"
        required
        maxLength={254}
        value={newcomer.email}
        onChange={(email) => set({ email })}
      />
      <RoleBoxes offered={offered} chosen={newcomer.roles} onChange={(roles) => set({ roles })} />
      {lives.length > 0 && (
        <SelectField
          label="Valid for"
          value={String(newcomer.days)}
          choices={lives.map((days) => [String(days), days === 1 ? 'a day' : `${days} days`])}
          onChange={(days) => set({ days: Number(days) })}
        />
      )}
      <div className="buttons">
        <ActionButton
          label={submitLabel}
          doing="One moment …"
          isPending={sending.isPending}
          isDisabled={newcomer.roles.length === 0}
        />
      </div>
    </Form>
  );
}

/** The unused invitations. */
function OpenInvitations() {
  const invitations = useQuery({
    queryKey: [...USERS, 'invitations'],
    queryFn: ({ signal }) => readInvitations(signal),
  });
  return (
    <Loaded query={invitations} what="list of invitations" pending={null}>
      {(list) => <InvitationList invitations={list} />}
    </Loaded>
  );
}

function InvitationList({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const withdrawing = useUserChange(withdrawInvitation);
  if (invitations.length === 0) return null;
  return (
    <>
      <h3>Open invitations</h3>
      <FormFailure error={withdrawing.error} />
      <ul className="card keys" aria-label="Open invitations">
        {invitations.map(({ id, email, roles, invitedBy, expiresAt }) => (
          <RevocableItem
            key={id}
            title={email}
            reach={roles.join(', ')}
            hint={
              <>
                Invited by {invitedBy ?? 'the command line'} · expires <Day at={expiresAt} />
              </>
            }
            label="Withdraw"
            name={`Withdraw the invitation of ${email}`}
            revoke={() => withdrawing.mutate(id)}
          />
        ))}
      </ul>
    </>
  );
}
