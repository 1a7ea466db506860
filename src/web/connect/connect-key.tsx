import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FreshKey } from '../controls/keys/fresh-key.tsx';
import { LifeField } from '../controls/keys/life-field.tsx';
import type { Right } from '../service/access.ts';
import { API_KEYS, createApiKey } from '../service/api-keys.ts';
import type { Connection } from '../service/landing.ts';
import { FormFailure } from '../state/form-failure.tsx';

interface ConnectKeyProps {
  readonly entitySet: string;
  readonly connection: Connection;
  /** What it is made for. */
  readonly program: string | undefined;
  readonly secret: string | undefined;
  readonly onMade: (secret: string) => void;
}

const VIEW: readonly Right[] = ['View'];
const LIFE_DAYS = 90;

/** Makes a key that reads the entity set and does nothing else. */
export function ConnectKey({ entitySet, connection, program, secret, onMade }: ConnectKeyProps) {
  const client = useQueryClient();
  const [days, setDays] = useState<number | undefined>(LIFE_DAYS);
  const { entitySets } = connection;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      createApiKey({
        name: [program, entitySet].filter(Boolean).join(': ').slice(0, 100),
        expiresInDays: days,
        scope: Object.fromEntries(entitySets.map((name) => [name, VIEW])),
      }),
    onSuccess: (made) => {
      onMade(made);
      return client.invalidateQueries({ queryKey: API_KEYS });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  if (secret !== undefined) return <FreshKey secret={secret} />;
  return (
    <form className="connect-key" onSubmit={submit} aria-label="API key">
      <FormFailure error={error} />
      <LifeField days={days} onChange={setDays} />
      <button type="submit" className="primary" disabled={isPending}>
        Make a key
      </button>
      <p className="hint">The key can read {entitySets.join(' and ')} and do nothing else.</p>
    </form>
  );
}
