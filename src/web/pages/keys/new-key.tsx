import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Field } from '../../controls/field.tsx';
import { FreshKey } from '../../controls/keys/fresh-key.tsx';
import { LifeField } from '../../controls/keys/life-field.tsx';
import { createApiKey, type KeyScope } from '../../service/api-keys.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import { isEmptyScope, ScopeField } from './scope-field.tsx';

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

export function NewKey({ onCreated }: { readonly onCreated: () => unknown }) {
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
          Make a key
        </button>
      </div>
    </form>
  );
}
