import { type FormEvent, useState } from 'react';
import { Field } from '../../controls/field.tsx';
import { USER } from '../../service/session.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import { RoleBoxes } from './role-boxes.tsx';
import { TellOnce } from './tell-once.tsx';
import { useUserChange } from './use-user-change.ts';

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

export function NewUserForm(props: NewUserFormProps) {
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
        <Field label="Good for">
          {({ id }) => (
            <select
              id={id}
              value={newcomer.days}
              onChange={({ target }) => set({ days: Number(target.value) })}
            >
              {lives.map((days) => (
                <option key={days} value={days}>
                  {days === 1 ? 'a day' : `${days} days`}
                </option>
              ))}
            </select>
          )}
        </Field>
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
