import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { API_KEYS, type ApiKey, type KeyScope, readApiKeys, revokeApiKey } from '../../service/api-keys.ts';
import { Failure } from '../../state/failure.tsx';
import { FormFailure } from '../../state/form-failure.tsx';
import { NewKey } from './new-key.tsx';

/** The user's API keys: made, shown once, and revoked. */
export function ApiKeys() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: API_KEYS });
  const keys = useQuery({ queryKey: API_KEYS, queryFn: readApiKeys });
  const revoking = useMutation({ mutationFn: revokeApiKey, onSuccess: refresh });
  return (
    <section className="apart" aria-labelledby="api-keys">
      <h2 id="api-keys">API keys</h2>
      <p className="above-form">
        For programs that cannot sign in, such as Excel and Power BI. Send a key as <code>X-API-Key</code>, or
        as the password of Basic authentication.
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
  const { name, start, createdAt, expiresAt, scope, lastUsedAt } = apiKey;
  return (
    <li className="key-row">
      <div className="key-text">
        <p>
          <span className="key-name">{name}</span> <code>{start}…</code>
        </p>
        <p className="key-scope">{scopeInWords(scope)}</p>
        <p className="hint">
          made {day(createdAt)} · {lifeInWords(expiresAt)} ·{' '}
          {lastUsedAt === null ? 'not used yet' : `last used ${moment(lastUsedAt)}`}
        </p>
      </div>
      <button type="button" aria-label={`Revoke ${name}`} onClick={revoke}>
        Revoke
      </button>
    </li>
  );
}

function scopeInWords(scope: KeyScope | null): string {
  if (scope === null) return 'Everything that you may do';
  const parts = Object.entries(scope).map(
    ([resource, rights]) => `${resource === '*' ? 'Everything' : resource}: ${rights.join(', ')}`,
  );
  return parts.join(' · ') || 'Nothing';
}

function lifeInWords(expiresAt: string | null): string {
  if (expiresAt === null) return 'good until revoked';
  return `${Date.parse(expiresAt) <= Date.now() ? 'expired' : 'good until'} ${day(expiresAt)}`;
}

function day(text: string): string {
  return new Date(text).toLocaleDateString();
}

function moment(text: string): string {
  return new Date(text).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' });
}
