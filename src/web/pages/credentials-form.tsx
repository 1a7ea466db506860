import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { RequestFailure } from '../service/request.ts';
import { FormFailure } from '../state/failure.tsx';

export interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autoComplete: string;
  readonly hint?: string;
}

interface CredentialsFormProps {
  readonly fields: readonly CredentialField[];
  readonly submitLabel: string;
  /** Fails with what is told above the form. */
  readonly submit: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  /** What is told, above the emptied form, when it is done. */
  readonly done?: string;
  readonly isDangerous?: boolean;
  /** What the fields hold to begin with. */
  readonly initial?: Readonly<Record<string, string>>;
  /** Below the form. */
  readonly children?: ReactNode;
}

/** A small form of texts that must all be filled in. */
export function CredentialsForm(props: CredentialsFormProps) {
  const { fields, submitLabel, submit, done, isDangerous = false, initial = {}, children } = props;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(initial);
  const empty = (): void => setValues({});
  const sending = useMutation({ mutationFn: submit, ...(done !== undefined && { onSuccess: empty }) });
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate(values);
  };
  return (
    <form className="form card narrow" onSubmit={onSubmit} aria-label={submitLabel}>
      <FormFailure error={sending.error && explain(sending.error)} />
      {sending.isSuccess && done !== undefined && (
        <p className="banner good" role="status">
          {done}
        </p>
      )}
      {fields.map((field) => (
        <TextField
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      <div className="buttons">
        <button type="submit" className={isDangerous ? 'dangerous' : 'primary'} disabled={sending.isPending}>
          {sending.isPending ? 'One moment …' : submitLabel}
        </button>
      </div>
      {children}
    </form>
  );
}

interface TextFieldProps {
  readonly field: CredentialField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextField({ field, value, onChange }: TextFieldProps) {
  const id = useId();
  const { label, type, autoComplete, hint } = field;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        type={type}
        autoComplete={autoComplete}
        required
        value={value}
        aria-describedby={hint && `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** What the accounts say, to how people say it. */
const IN_OTHER_WORDS: Readonly<Record<string, string>> = {
  'Invalid email or password': 'The e-mail address or password is incorrect.',
  'Invalid password': 'The password is incorrect.',
};

function explain(error: Error): Error {
  if (!(error instanceof RequestFailure)) return error;
  if (error.status === 404) return new Error('This gateway runs without accounts: everyone can use it.');
  if (error.status !== 429 || error.retryAfter === undefined) {
    return new Error(IN_OTHER_WORDS[error.message] ?? error.message);
  }
  return new Error(`Too many attempts. Try again in ${duration(error.retryAfter)}.`);
}

function duration(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
