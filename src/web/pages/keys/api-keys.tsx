import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Field } from '../../controls/field.tsx';
import { FreshKey, LifeField } from '../../controls/new-key-controls.tsx';
import { RightsTable } from '../../controls/rights-table.tsx';
import { SelectField } from '../../controls/select.tsx';
import { RIGHTS, type Right } from '../../service/access.ts';
import {
  API_KEYS,
  type ApiKey,
  createApiKey,
  type KeyScope,
  readApiKeys,
  revokeApiKey,
} from '../../service/api-keys.ts';
import { landingQuery } from '../../service/landing.ts';
import { Failure, FormFailure } from '../../state/failure.tsx';

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
  if (expiresAt === null) return 'valid until revoked';
  return `${Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid until'} ${day(expiresAt)}`;
}

function day(text: string): string {
  return new Date(text).toLocaleDateString();
}

function moment(text: string): string {
  return new Date(text).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' });
}

/** Makes a key, and forgets its name when it is made. */
function useNewKey(onCreated: () => unknown) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<number>();
  const [scope, setScope] = useState<KeyScope>();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => createApiKey({ name, expiresInDays: days, scope }),
    onSuccess: () => {
      setName('');
      onCreated();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return { name, setName, days, setDays, scope, setScope, submit, secret: data, error, isPending };
}

function NewKey({ onCreated }: { readonly onCreated: () => unknown }) {
  const { name, setName, days, setDays, scope, setScope, submit, secret, error, isPending } =
    useNewKey(onCreated);
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
      <ScopeField scope={scope} onChange={setScope} />
      <LifeField days={days} onChange={setDays} />
      <div className="buttons">
        <button type="submit" className="primary" disabled={isPending || isEmptyScope(scope)}>
          Create a key
        </button>
      </div>
    </form>
  );
}

interface ScopeFieldProps {
  /** Undefined is all that the user may do. */
  readonly scope: KeyScope | undefined;
  readonly onChange: (scope: KeyScope | undefined) => void;
}

type Reach = 'all' | 'read' | 'chosen';

const SCOPES: Readonly<Record<Reach, KeyScope | undefined>> = {
  all: undefined,
  read: { '*': ['View'] },
  chosen: {},
};

/** What a key is good for. */
function ScopeField({ scope, onChange }: ScopeFieldProps) {
  const [reach, setReach] = useState<Reach>('all');
  const choose = (chosen: Reach): void => {
    setReach(chosen);
    onChange(SCOPES[chosen]);
  };
  return (
    <>
      <SelectField
        label="It may"
        value={reach}
        choices={[
          ['all', 'do everything that you may do'],
          ['read', 'read everything that you may read'],
          ['chosen', 'do only what is checked below'],
        ]}
        onChange={(chosen) => choose(chosen as Reach)}
      />
      {reach === 'chosen' && <ScopeTable scope={scope ?? {}} onChange={onChange} />}
    </>
  );
}

/** Whether something is still to be chosen. */
function isEmptyScope(scope: KeyScope | undefined): boolean {
  return scope !== undefined && Object.keys(scope).length === 0;
}

interface ScopeTableProps {
  readonly scope: KeyScope;
  readonly onChange: (scope: KeyScope) => void;
}

interface ScopedResource {
  readonly name: string;
  readonly label: string;
  readonly rights: readonly string[];
}

function ScopeTable({ scope, onChange }: ScopeTableProps) {
  const { data: landing } = useQuery(landingQuery);
  const sets = landing?.entitySets ?? [];
  const resources: readonly ScopedResource[] = [
    { name: '*', label: 'Everything', rights: RIGHTS },
    ...sets.map(({ name, permissions }) => ({ name, label: name, rights: permissions })),
  ];
  const rows = resources.map(({ name, label, rights }) => ({
    name,
    label,
    box: (right: Right) =>
      rights.includes(right) && (
        <input
          type="checkbox"
          aria-label={`The key may ${right} ${label}`}
          checked={scope[name]?.includes(right) === true}
          onChange={({ target }) => onChange(withRight(scope, name, right, target.checked))}
        />
      ),
  }));
  const caption = 'What the key may do, within your own rights';
  return <RightsTable caption={caption} className="rights scope" rights={RIGHTS} rows={rows} />;
}

function withRight(scope: KeyScope, name: string, right: Right, isGiven: boolean): KeyScope {
  const { [name]: held = [], ...others } = scope;
  const kept = held.filter((each) => each !== right);
  const rights = isGiven ? [...kept, right] : kept;
  return rights.length === 0 ? others : { ...others, [name]: rights };
}
