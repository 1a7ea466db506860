import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
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

const LIVES = [30, 90, 365];

function NewKey({ onCreated }: { readonly onCreated: () => unknown }) {
  const id = useId();
  const [name, setName] = useState('');
  const [days, setDays] = useState<number>();
  const creating = useMutation({
    mutationFn: () => createApiKey(name, days),
    onSuccess: () => {
      setName('');
      onCreated();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    creating.mutate();
  };
  return (
    <form className="card form new-key" onSubmit={submit} aria-label="New API key">
      <FormFailure error={creating.error} />
      {creating.data !== undefined && <FreshKey secret={creating.data} />}
      <div className="field">
        <label className="label" htmlFor={`${id}-name`}>
          Name
        </label>
        <input
          id={`${id}-name`}
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <div className="field">
        <label className="label" htmlFor={`${id}-days`}>
          Good for
        </label>
        <select
          id={`${id}-days`}
          value={days ?? ''}
          onChange={({ target }) => setDays(target.value === '' ? undefined : Number(target.value))}
        >
          <option value="">until it is revoked</option>
          {LIVES.map((life) => (
            <option key={life} value={life}>
              {life} days
            </option>
          ))}
        </select>
      </div>
      <div className="buttons">
        <button type="submit" className="primary" disabled={creating.isPending}>
          Make a key
        </button>
      </div>
    </form>
  );
}

function FreshKey({ secret }: { readonly secret: string }) {
  const copying = useMutation({ mutationFn: () => navigator.clipboard.writeText(secret) });
  return (
    <div className="banner good" role="status">
      <p>This is the key. It is shown only now:</p>
      <code className="secret">{secret}</code>
      <button type="button" onClick={() => copying.mutate()}>
        {copying.isSuccess ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
