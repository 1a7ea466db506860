import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionButton, Form, SelectField, TextField } from '../../controls/inputs.tsx';
import { Day, Moment } from '../../controls/moment.tsx';
import { FreshKey, LifeField, RevocableItem } from '../../controls/secrets.tsx';
import { Section } from '../../controls/section.tsx';
import { RightsTable } from '../../controls/table.tsx';
import { type Permission, RIGHTS } from '../../service/access.ts';
import {
  API_KEYS,
  type ApiKey,
  createApiKey,
  readApiKeys,
  revokeApiKey,
  type WrittenScope,
} from '../../service/api-keys.ts';
import { landingQuery } from '../../service/landing.ts';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';

/** Creates, lists and revokes the user's API keys. */
export function ApiKeys() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: API_KEYS });
  const keys = useQuery({ queryKey: API_KEYS, queryFn: readApiKeys });
  const revoking = useMutation({ mutationFn: revokeApiKey, onSuccess: refresh });
  return (
    <Section title="API keys" className="apart">
      <p className="above-form">
        For programs that cannot sign in, such as Excel and Power BI. Send a key as <code>X-API-Key</code>, or
        as the password of Basic authentication.
      </p>
      <FormFailure error={revoking.error} />
      <Loaded query={keys} what="list of keys" pending={null}>
        {(list) => <KeyList keys={list} revoke={revoking.mutate} />}
      </Loaded>
      <NewKey onCreated={refresh} />
    </Section>
  );
}

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  readonly revoke: (id: string) => void;
}

function KeyList({ keys, revoke }: KeyListProps) {
  if (keys.length === 0) return null;
  return (
    <ul className="card keys" aria-label="Your keys">
      {keys.map(({ id, name, start, scope, ...times }) => (
        <RevocableItem
          key={id}
          title={
            <>
              {name} <code>{start}…</code>
            </>
          }
          reach={scopeInWords(scope)}
          hint={<KeyTimes {...times} />}
          label="Revoke"
          name={`Revoke ${name}`}
          revoke={() => revoke(id)}
        />
      ))}
    </ul>
  );
}

function KeyTimes({ createdAt, expiresAt, lastUsedAt }: Omit<ApiKey, 'id' | 'name' | 'start' | 'scope'>) {
  return (
    <>
      Created <Day at={createdAt} /> · {expiresAt === null ? 'never expires' : <Expiration at={expiresAt} />}{' '}
      ·{' '}
      {lastUsedAt === null ? (
        'not used yet'
      ) : (
        <>
          last used <Moment at={lastUsedAt} />
        </>
      )}
    </>
  );
}

function Expiration({ at }: { readonly at: string }) {
  return (
    <>
      {Date.parse(at) <= Date.now() ? 'expired' : 'expires'} <Day at={at} />
    </>
  );
}

function scopeInWords(scope: WrittenScope | null): string {
  if (scope === null) return 'Everything that you can do';
  const parts = Object.entries(scope).map(
    ([resource, rights]) => `${resource === '*' ? 'Everything' : resource}: ${rights.join(', ')}`,
  );
  return parts.join(' · ') || 'Nothing';
}

function NewKey({ onCreated }: { readonly onCreated: () => unknown }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<number>();
  const [scope, setScope] = useState<WrittenScope>();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => createApiKey({ name, expiresInDays: days, scope }),
    onSuccess: () => {
      setName('');
      onCreated();
    },
  });
  return (
    <Form className="card form new-key" submit={mutate} error={error} aria-label="New API key">
      <FreshKey secret={data} />
      <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
      <ScopeField scope={scope} onChange={setScope} />
      <LifeField days={days} onChange={setDays} />
      <div className="buttons">
        <ActionButton
          label="Create a key"
          doing="Creating …"
          isPending={isPending}
          isDisabled={isEmptyScope(scope)}
        />
      </div>
    </Form>
  );
}

interface ScopeFieldProps {
  /** Undefined for all permissions of the user. */
  readonly scope: WrittenScope | undefined;
  readonly onChange: (scope: WrittenScope | undefined) => void;
}

type Reach = 'all' | 'read' | 'chosen';

const SCOPES: Readonly<Record<Reach, WrittenScope | undefined>> = {
  all: undefined,
  read: { '*': ['View'] },
  chosen: {},
};

/** Selects the permissions of a key. */
function ScopeField({ scope, onChange }: ScopeFieldProps) {
  const [reach, setReach] = useState<Reach>('all');
  const choose = (chosen: Reach): void => {
    setReach(chosen);
    onChange(SCOPES[chosen]);
  };
  return (
    <>
      <SelectField
        label="Permissions"
        value={reach}
        choices={[
          ['all', 'Everything that you can do'],
          ['read', 'Read everything that you can read'],
          ['chosen', 'Only what is checked below'],
        ]}
        onChange={(chosen) => choose(chosen as Reach)}
      />
      {reach === 'chosen' && <ScopeTable scope={scope ?? {}} onChange={onChange} />}
    </>
  );
}

/** Whether the selection is incomplete. */
function isEmptyScope(scope: WrittenScope | undefined): boolean {
  return scope !== undefined && Object.keys(scope).length === 0;
}

interface ScopeTableProps {
  readonly scope: WrittenScope;
  readonly onChange: (scope: WrittenScope) => void;
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
    box: (right: Permission) =>
      rights.includes(right) && (
        <input
          type="checkbox"
          aria-label={`The key may ${right} ${label}`}
          checked={scope[name]?.includes(right) === true}
          onChange={({ target }) => onChange(withRight(scope, name, right, target.checked))}
        />
      ),
  }));
  const caption = 'What the key may do, within your own permissions';
  return <RightsTable caption={caption} className="rights scope" rights={RIGHTS} rows={rows} />;
}

function withRight(scope: WrittenScope, name: string, right: Permission, isGiven: boolean): WrittenScope {
  const { [name]: held = [], ...others } = scope;
  const kept = held.filter((each) => each !== right);
  const rights = isGiven ? [...kept, right] : kept;
  return rights.length === 0 ? others : { ...others, [name]: rights };
}
