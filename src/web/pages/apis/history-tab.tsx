import { useQuery } from '@tanstack/react-query';
import { Moment } from '../../controls/moment.tsx';
import { Section } from '../../controls/section.tsx';
import { type ListedChange, readHistory, restoreApi, type StatePart } from '../../service/registry.ts';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { type TabProps, useApiChange } from './use-api.ts';

/** The latest changes of an API, which can be reverted. */
export function HistoryTab({ api: { name, state }, isWritable }: TabProps) {
  const history = useQuery({
    queryKey: ['history', name],
    queryFn: ({ signal }) => readHistory(name, signal),
  });
  const restoring = useApiChange((order: Parameters<typeof restoreApi>[1], progressId) =>
    restoreApi(name, order, progressId),
  );
  const { error, variables, isPending, isSuccess, mutate } = restoring;
  return (
    <Section title="Changes">
      <ChangeStatus
        change={restoring}
        isServed={state !== 'registered'}
        otherwise="Restoring …"
        done={isSuccess && 'The state before that change has been restored.'}
      />
      <FormFailure error={error} isAtField={isConfirmation} />
      <ConfirmChanges
        error={error}
        confirm={(confirm) => variables && mutate({ ...variables, confirm })}
        isPending={isPending}
      />
      <Loaded query={history} what="history" pending={<LoadingRows />}>
        {(changes) => (
          <ChangeList
            changes={changes}
            restore={isWritable ? (changed) => mutate({ state: changed, confirm: [] }) : undefined}
            isPending={isPending}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface ChangeListProps {
  readonly changes: readonly ListedChange[];
  /** Undefined if APIs are read-only. */
  readonly restore: ((state: number) => void) | undefined;
  readonly isPending: boolean;
}

function ChangeList({ changes, restore, isPending }: ChangeListProps) {
  if (changes.length === 0) {
    return (
      <Notice title="No changes yet">
        <p>The last ten states are kept, and you can restore them here.</p>
      </Notice>
    );
  }
  return (
    <ol className="card history">
      {changes.map((change) => (
        <ChangeItem
          key={change.state}
          change={change}
          restore={restore && (() => restore(change.state))}
          isPending={isPending}
        />
      ))}
    </ol>
  );
}

const PARTS: Readonly<Record<StatePart, string>> = {
  document: 'document',
  overlay: 'access',
  description: 'description',
  serviceUrl: 'service URL',
  fetchUrl: 'address of the document',
};

interface ChangeItemProps {
  readonly change: ListedChange;
  /** Undefined if APIs are read-only. */
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
            <Moment at={at} />
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
      <ChangeMessages changes={changes} />
    </li>
  );
}

/** Number of changes shown at first. */
const SHOWN_AT_ONCE = 5;

function ChangeMessages({ changes }: Pick<ListedChange, 'changes'>) {
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
