import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Field } from '../controls/field.tsx';
import { type ApiKey, createApiKey, readApiKeys, revokeApiKey } from '../service/session.ts';
import { Failure } from '../state/failure.tsx';
import { FormFailure } from '../state/form-failure.tsx';

const KEYS = ['api-keys'];

/** The user's API keys: made, shown once, and revoked. */
export function ApiKeys() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: KEYS });
  const keys = useQuery({ queryKey: KEYS, queryFn: readApiKeys });
  const revoking = useMutation({ mutationFn: revokeApiKey, onSuccess: refresh });
  return (
    <section className="apart" aria-labelledby="api-keys">
      <h2 id="api-keys">API keys</h2>
      <p className="above-form">
        For programs that cannot sign in, such as Excel and Power BI. A key may do all that you may do; send
        it as <code>X-API-Key</code>, or as the password of Basic authentication.
      </p>
      {keys.isError && <Failure error={keys.error} retry={() => keys.refetch()} what="list of keys" />}
      <FormFailure error={revoking.error} />
      {keys.data !== undefined && keys.data.length > 0 && (
        <ul className="card keys" aria-label="Your keys">
          {keys.data.map((key) => (
            <KeyRow key={key.id} apiKey={key} revoke={() => revoking.mutate(key.id)} />
          ))}
        </ul>
      )}
      <NewKey onCreated={refresh} />
    </section>
  );
}

function KeyRow({ apiKey, revoke }: { readonly apiKey: ApiKey; readonly revoke: () => void }) {
  const { name, start, createdAt, expiresAt } = apiKey;
  return (
    <li className="key-row">
      <span className="key-name">{name}</span>
      <code>{start}…</code>
      <span className="hint">
        made {day(createdAt)}, {expiresAt === null ? 'good until revoked' : `good until ${day(expiresAt)}`}
      </span>
      <button type="button" aria-label={`Revoke ${name}`} onClick={revoke}>
        Revoke
      </button>
    </li>
  );
}

function day(moment: string): string {
  return new Date(moment).toLocaleDateString();
}

/** Makes a key, and forgets its name when it is made. */
function useNewKey(onCreated: () => unknown) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<number>();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => createApiKey(name, days),
    onSuccess: () => {
      setName('');
      onCreated();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return { name, setName, days, setDays, submit, secret: data, error, isPending };
}

function NewKey({ onCreated }: { readonly onCreated: () => unknown }) {
  const { name, setName, days, setDays, submit, secret, error, isPending } = useNewKey(onCreated);
  return (
    <form className="card form new-key" onSubmit={submit} aria-label="New API key">
      <FormFailure error={error} />
      {secret !== undefined && <FreshKey secret={secret} />}
      <Field label="Name">
        {({ id }) => (
          <input
            id={id}
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <LifeField days={days} onChange={setDays} />
      <div className="buttons">
        <button type="submit" className="primary" disabled={isPending}>
          Make a key
        </button>
      </div>
    </form>
  );
}

const LIVES = [30, 90, 365];

interface LifeFieldProps {
  /** Undefined is without end. */
  readonly days: number | undefined;
  readonly onChange: (days: number | undefined) => void;
}

function LifeField({ days, onChange }: LifeFieldProps) {
  const choose = (text: string): void => onChange(text === '' ? undefined : Number(text));
  return (
    <Field label="Valid for">
      {({ id }) => (
        <select id={id} value={days ?? ''} onChange={({ target }) => choose(target.value)}>
          <option value="">until it is revoked</option>
          {LIVES.map((life) => (
            <option key={life} value={life}>
              {life} days
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function FreshKey({ secret }: { readonly secret: string }) {
  const copying = useMutation({ mutationFn: () => navigator.clipboard.writeText(secret) });
  return (
    <div className="banner good" role="status">
      <p>Copy your key now. It will not be shown again:</p>
      <code className="secret">{secret}</code>
      <button type="button" onClick={() => copying.mutate()}>
        {copying.isSuccess ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
