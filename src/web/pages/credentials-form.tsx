import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ActionButton, Form, TextField } from '../controls/inputs.tsx';
import { RequestFailure } from '../service/request.ts';

/** The hint for a new password. */
export const NEW_PASSWORD_HINT =
  'At least 8 characters. A short sentence is hard to guess and easy to remember.';

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
  /** Rejects with the error to show above the form. */
  readonly submit: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  /** The message of success, above the emptied form. */
  readonly done?: string;
  readonly isDangerous?: boolean;
  /** Initial values by field. */
  readonly initial?: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
}

/** A small form whose text fields are all required. */
export function CredentialsForm(props: CredentialsFormProps) {
  const { fields, submitLabel, submit, done, isDangerous = false, initial = {}, children } = props;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(initial);
  const empty = (): void => setValues({});
  const sending = useMutation({ mutationFn: submit, ...(done !== undefined && { onSuccess: empty }) });
  return (
    <Form
      className="form card narrow"
      submit={() => sending.mutate(values)}
      error={sending.error && explain(sending.error)}
      aria-label={submitLabel}
    >
      {sending.isSuccess && done !== undefined && (
        <p className="banner good" role="status">
          {done}
        </p>
      )}
      {fields.map(({ name, ...field }) => (
        <TextField
          key={name}
          {...field}
          required
          value={values[name] ?? ''}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      <div className="buttons">
        <ActionButton
          label={submitLabel}
          doing="One moment …"
          isPending={sending.isPending}
          isDangerous={isDangerous}
        />
      </div>
      {children}
    </Form>
  );
}

/** Messages of the accounts in simpler words. */
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
