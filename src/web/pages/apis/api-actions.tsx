import { useRef } from 'react';
import { useNavigate } from 'react-router';
import { type Api, deleteApi, moveApi } from '../../service/registry.ts';
import { APIS, apiAddress } from '../../shell/addresses.ts';
import { FormFailure } from '../../state/form-failure.tsx';
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
          <button type="button" disabled={moving.isPending} onClick={() => moving.mutate('remove')}>
            {moving.isPending ? 'Removing …' : 'Remove from project'}
          </button>
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

/** Asks before it deletes. */
function DeleteButton({ name }: { readonly name: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const deleting = useApiChange(async () => {
    await deleteApi(name);
    navigate(APIS, { replace: true });
  });
  return (
    <>
      <button type="button" className="danger" onClick={() => dialog.current?.showModal()}>
        Delete
      </button>
      <dialog ref={dialog} className="card" aria-labelledby="delete-title">
        <h2 id="delete-title">Delete {name}?</h2>
        <p>
          It will no longer be served. Its document, what its overlay says of access, and its history will be
          deleted from the project, and cannot be brought back.
        </p>
        <FormFailure error={deleting.error} />
        <div className="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button
            type="button"
            className="danger"
            disabled={deleting.isPending}
            onClick={() => deleting.mutate(undefined)}
          >
            {deleting.isPending ? 'Deleting …' : `Delete ${name}`}
          </button>
        </div>
      </dialog>
    </>
  );
}
