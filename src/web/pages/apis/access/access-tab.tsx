import { useQuery } from '@tanstack/react-query';
import { grantAccess, readAccess } from '../../../service/access.ts';
import type { Api } from '../../../service/registry.ts';
import { Failure } from '../../../state/failure.tsx';
import { FormFailure } from '../../../state/form-failure.tsx';
import { LoadingRows } from '../../../state/loading.tsx';
import { Notice } from '../../../state/notice.tsx';
import { useApiChange, useRegistry } from '../use-api.ts';
import { AccessForm } from './access-form.tsx';
import { changedGrants, type GrantsDraft } from './grants-draft.ts';

/** Who may use an API, and for what. */
export function AccessTab({ api: { name } }: { readonly api: Api }) {
  const { data: registry } = useRegistry();
  const access = useQuery({
    queryKey: ['access', name],
    queryFn: ({ signal }) => readAccess(name, signal),
  });
  const saving = useApiChange((draft: GrantsDraft) =>
    grantAccess(name, access.data === undefined ? [] : changedGrants(draft, access.data)),
  );
  return (
    <section aria-labelledby="access">
      <h2 id="access">Who may use it?</h2>
      {access.isPending && <LoadingRows />}
      {access.isError && (
        <Failure error={access.error} retry={() => access.refetch()} what="list of rights" />
      )}
      <FormFailure error={saving.error} />
      <div className="told" role="status">
        {saving.isSuccess && <p className="banner good">Saved. It holds from now on.</p>}
      </div>
      {access.isSuccess &&
        (access.data.resources.length === 0 ? (
          <Notice title="Nothing to use yet">
            <p>No entity set is made of this API. Settings says why.</p>
          </Notice>
        ) : (
          <AccessForm
            key={JSON.stringify(access.data)}
            access={access.data}
            save={registry?.writable === true ? saving.mutate : undefined}
            isSaving={saving.isPending}
          />
        ))}
    </section>
  );
}
