import { useNavigate } from 'react-router';
import { APIS, apiAddress } from '../../service/addresses.ts';
import { type Api, deleteApi, moveApi } from '../../service/registry.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import { AskedButton } from './asked-button.tsx';
import { useApiChange } from './use-api.ts';

/** Into the project, out of it, and away. */
export function ApiActions({ api }: { readonly api: Api }) {
  const navigate = useNavigate();
  const moving = useApiChange(async (verb: 'add' | 'remove') => {
    const moved = await moveApi(api.name, verb);
    if (moved.state === 'ungranted') navigate(apiAddress(api.name, 'access'));
    return moved;
  });
  const isInProject = api.state !== 'registered';
  return (
    <>
      <div className="buttons actions">
        {isInProject ? (
          <AskedButton
            label="Remove from project"
            title={`Remove ${api.name} from the project?`}
            answer={`Remove ${api.name}`}
            doing="Removing …"
            error={moving.error}
            isPending={moving.isPending}
            act={() => moving.mutate('remove')}
          >
            <p>
              These will no longer be served, as OData or as GraphQL: {api.entitySets.join(', ') || 'nothing'}
              . It stays registered, with its document, its access and its history, and can be added again.
            </p>
          </AskedButton>
        ) : (
          <button
            type="button"
            className="primary"
            disabled={moving.isPending}
            onClick={() => moving.mutate('add')}
          >
            {moving.isPending ? 'Adding …' : 'Add to project'}
          </button>
        )}
        <DeleteButton name={api.name} />
      </div>
      <div className="told" role="status">
        {moving.isSuccess && <p className="banner good">{tellMove(moving.data)}</p>}
      </div>
      <FormFailure error={moving.error} />
    </>
  );
}

function tellMove({ state, name }: Api): string {
  if (state === 'registered') return `${name} is out of the project: it is no longer served.`;
  if (state === 'ungranted') return `${name} is live. Say who may use it: nobody may yet.`;
  return `${name} is live: it is served as OData and GraphQL now.`;
}

function DeleteButton({ name }: { readonly name: string }) {
  const navigate = useNavigate();
  const deleting = useApiChange(async () => {
    await deleteApi(name);
    navigate(APIS, { replace: true });
  });
  return (
    <AskedButton
      label="Delete"
      title={`Delete ${name}?`}
      answer={`Delete ${name}`}
      doing="Deleting …"
      error={deleting.error}
      isPending={deleting.isPending}
      act={() => deleting.mutate(undefined)}
      isDangerous
    >
      <p>
        It will no longer be served. Its document, what its overlay says of access, and its history will be
        deleted from the project, and cannot be brought back.
      </p>
    </AskedButton>
  );
}
