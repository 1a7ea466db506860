import { useQuery } from '@tanstack/react-query';
import {
  type Api,
  type RecordedChange,
  type ReplacedPart,
  readHistory,
  restoreApi,
} from '../../service/registry.ts';
import { Failure, FormFailure } from '../../state/failure.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { DocumentProgress } from './document-progress.tsx';
import { useApiChange, useRegistry } from './use-api.ts';

/** The last changes of an API, and what there was before each of them. */
export function HistoryTab({ api: { name, state } }: { readonly api: Api }) {
  const { data: registry } = useRegistry();
  const history = useQuery({
    queryKey: ['history', name],
    queryFn: ({ signal }) => readHistory(name, signal),
  });
  const restoring = useApiChange((order: Parameters<typeof restoreApi>[1], progressId) =>
    restoreApi(name, order, progressId),
  );
  const { error, variables, isPending } = restoring;
  return (
    <section aria-labelledby="history">
      <h2 id="history">Changes</h2>
      {history.isPending && <LoadingRows />}
      {history.isError && <Failure error={history.error} retry={() => history.refetch()} what="history" />}
      <div className="told" role="status">
        {isPending && (
          <DocumentProgress
            id={restoring.progressId}
            isServed={state !== 'registered'}
            otherwise="Restoring …"
          />
        )}
        {restoring.isSuccess && (
          <p className="banner good">The state before that change has been restored.</p>
        )}
      </div>
      <FormFailure error={error} isAtField={(target) => isConfirmation({ target })} />
      <ConfirmChanges
        error={error}
        confirm={(confirm) => variables && restoring.mutate({ ...variables, confirm })}
        isPending={isPending}
      />
      {history.isSuccess && history.data.length === 0 && (
        <Notice title="No changes yet">
          <p>The last ten states are kept, and you can restore them here.</p>
        </Notice>
      )}
      {history.isSuccess && history.data.length > 0 && (
        <ol className="card history">
          {history.data.map((change) => (
            <ChangeItem
              key={change.state}
              change={change}
              restore={
                registry?.writable === true
                  ? () => restoring.mutate({ state: change.state, confirm: [] })
                  : undefined
              }
              isPending={isPending}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

const PARTS: Readonly<Record<ReplacedPart, string>> = {
  document: 'document',
  overlay: 'access',
  description: 'description',
  serviceUrl: 'service URL',
  fetchUrl: 'address of the document',
};

interface ChangeItemProps {
  readonly change: RecordedChange;
  /** Undefined where nothing can be changed. */
  readonly restore: (() => void) | undefined;
  readonly isPending: boolean;
}

function ChangeItem({ change: { state, at, by, replaced, changes }, restore, isPending }: ChangeItemProps) {
  const when = new Date(at).toLocaleString();
  return (
    <li className="finding">
      <div className="history-head">
        <p>
          <strong>Changed: {replaced.map((part) => PARTS[part]).join(', ')}</strong>
          <br />
          <span className="hint">
            <time dateTime={at}>{when}</time>
            {by !== null && <> · {by}</>} · state {state}
          </span>
        </p>
        {restore !== undefined && (
          <button
            type="button"
            disabled={isPending}
            onClick={restore}
            aria-label={`Restore previous state, before ${when}`}
          >
            Restore previous state
          </button>
        )}
      </div>
      <ToldChanges changes={changes} />
    </li>
  );
}

/** More of them are shown when somebody asks for them. */
const SHOWN_AT_ONCE = 5;

function ToldChanges({ changes }: Pick<RecordedChange, 'changes'>) {
  if (changes.length === 0) return null;
  const list = (
    <ul className="told-changes">
      {changes.map(({ kind, message }) => (
        <li key={message}>
          {message} {kind === 'breaking' && <span className="mark wrong">breaking</span>}
        </li>
      ))}
    </ul>
  );
  if (changes.length <= SHOWN_AT_ONCE) return list;
  return (
    <details>
      <summary>{changes.length} changes</summary>
      {list}
    </details>
  );
}
