import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionButton, Form, TextField } from '../../controls/inputs.tsx';
import { allowAges, readAccess, type WrittenMaxAge } from '../../service/access.ts';
import type { ApiDetail } from '../../service/registry.ts';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { useApiChange } from './use-api.ts';

/** Settings for how long answers of an API may be used again. */
export function MaxAgeSettings({ api }: { readonly api: ApiDetail }) {
  const access = useQuery({
    queryKey: ['access', api.name],
    queryFn: ({ signal }) => readAccess(api.name, signal),
  });
  return (
    <Loaded query={access} what="ages of answers" pending={<LoadingRows />}>
      {({ maxAges }) => <MaxAgeForm key={JSON.stringify(maxAges)} api={api} maxAges={maxAges} />}
    </Loaded>
  );
}

/** The name of the whole document among the resources. */
const DOCUMENT = '*';

function MaxAgeForm({
  api: { name, state },
  maxAges,
}: {
  readonly api: ApiDetail;
  readonly maxAges: readonly WrittenMaxAge[];
}) {
  const [draft, setDraft] = useState(maxAges);
  const saving = useApiChange((changed: readonly WrittenMaxAge[], progressId) =>
    allowAges(name, changed, progressId),
  );
  const changed = draft.filter(({ maxAge }, index) => maxAge.trim() !== maxAges[index]?.maxAge);
  const set = (index: number, maxAge: string): void =>
    setDraft(draft.map((each, place) => (place === index ? { ...each, maxAge } : each)));
  const save = (): void => {
    if (changed.length > 0) saving.mutate(changed.map((each) => ({ ...each, maxAge: each.maxAge.trim() })));
  };
  return (
    <Form
      className="form card"
      submit={save}
      error={saving.error}
      isAtField={() => false}
      aria-label="Age of answers"
      noValidate
    >
      <p className="hint">
        Without an age, every read asks the API. With one, such as 30s, 5m or 1h, an answer may be used again
        for that time; with api, for as long as the API's own header fields allow. It is written into the
        overlay.
      </p>
      {draft.map(({ name: resource, maxAge }, index) => (
        <TextField
          key={resource}
          label={resource === DOCUMENT ? 'All answers (maxAge)' : `${resource} (maxAge)`}
          value={maxAge}
          onChange={(text) => set(index, text)}
        />
      ))}
      <ChangeStatus
        change={saving}
        isServed={state !== 'registered'}
        otherwise="Saving …"
        done={saving.isSuccess && 'Saved. It takes effect immediately.'}
      />
      <div className="buttons">
        <ActionButton label="Set ages" doing="Setting …" isPending={saving.isPending} />
      </div>
    </Form>
  );
}
