import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Field } from '../../controls/field.tsx';
import { SelectField } from '../../controls/select.tsx';
import { landingQuery } from '../../service/landing.ts';
import { USER } from '../../service/session.ts';
import {
  type Invitation,
  invite,
  makeUser,
  readInvitations,
  withdrawInvitation,
} from '../../service/users.ts';
import { Failure, FormFailure } from '../../state/failure.tsx';
import { RoleBoxes, TellOnce, USERS, useUserChange } from './use-user-change.tsx';

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
          <h2 id="invite">Invite someone</h2>
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
        </section>
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

/** Who is to have an account. */
interface Newcomer {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** How long an invitation is good. */
  readonly days: number;
}

interface NewUserFormProps {
  readonly title: string;
  /** The roles that there is something for. */
  readonly offered: readonly string[];
  readonly hasName?: boolean;
  /** The days to choose from. */
  readonly lives?: readonly number[];
  readonly submitLabel: string;
  /** Comes back with a text that is told this once. */
  readonly submit: (newcomer: Newcomer) => Promise<string>;
  /** What is said above that text. */
  readonly told: (newcomer: Newcomer) => string;
  /** What that text is. */
  readonly what: string;
}

const NOBODY: Newcomer = { name: '', email: '', roles: [USER], days: 7 };

function NewUserForm(props: NewUserFormProps) {
  const { title, offered, hasName = false, lives = [], submitLabel, submit, told, what } = props;
  const [newcomer, setNewcomer] = useState(NOBODY);
  const sending = useUserChange(submit, () => setNewcomer(NOBODY));
  const set = (change: Partial<Newcomer>): void => setNewcomer({ ...newcomer, ...change });
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate(newcomer);
  };
  return (
    <form className="card form" onSubmit={onSubmit} aria-label={title}>
      <FormFailure error={sending.error} />
      <div className="told" role="status">
        {sending.isSuccess && (
          <TellOnce text={sending.data} what={what}>
            {told(sending.variables)}
          </TellOnce>
        )}
      </div>
      {hasName && <Text label="Name" type="text" value={newcomer.name} onChange={(name) => set({ name })} />}
      <Text label="E-mail" type="email" value={newcomer.email} onChange={(email) => set({ email })} />
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
        <button type="submit" className="primary" disabled={sending.isPending || newcomer.roles.length === 0}>
          {sending.isPending ? 'One moment …' : submitLabel}
        </button>
      </div>
    </form>
  );
}

interface TextProps {
  readonly label: string;
  readonly type: 'text' | 'email';
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Text({ label, type, value, onChange }: TextProps) {
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type={type}
          required
          maxLength={type === 'email' ? 254 : 100}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** The invitations that nobody has used yet. */
function OpenInvitations() {
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
          invited by {invitedBy ?? 'the command line'} · valid until{' '}
          {new Date(expiresAt).toLocaleDateString()}
        </p>
      </div>
      <button type="button" aria-label={`Withdraw the invitation of ${email}`} onClick={withdraw}>
        Withdraw
      </button>
    </li>
  );
}
