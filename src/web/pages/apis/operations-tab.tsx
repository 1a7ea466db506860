import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  type Api,
  fetchOperations,
  type Operation,
  type OperationChanges,
  readOperations,
  type ServedOperation,
} from '../../service/registry.ts';
import { Failure, FormFailure, fieldMistakes } from '../../state/failure.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { DocumentProgress } from './document-progress.tsx';
import { TextField } from './text-field.tsx';
import { useApiChange } from './use-api.ts';

/** The operations of an API, and what each becomes. */
export function OperationsTab({ api }: { readonly api: Api }) {
  const operations = useQuery({
    queryKey: ['operations', api.name],
    queryFn: ({ signal }) => readOperations(api.name, signal),
  });
  return (
    <>
      <FetchOperations api={api} />
      <section aria-labelledby="operations">
        <h2 id="operations">Operations</h2>
        {operations.isPending && <LoadingRows />}
        {operations.isError && (
          <Failure error={operations.error} retry={() => operations.refetch()} what="list of operations" />
        )}
        {operations.isSuccess && <Operations operations={operations.data} />}
      </section>
    </>
  );
}

function Operations({ operations }: { readonly operations: readonly ServedOperation[] }) {
  if (operations.length === 0) return <p className="notice">The document has no operations.</p>;
  return (
    <ul className="items" aria-label="Operations">
      {operations.map(({ id, method, path, summary, resource }) => (
        <li key={`${method} ${path}`} className="item operation">
          <MethodMark method={method} />
          <span className="operation-text">
            <code>{path}</code>
            <span className="hint">{summary || id}</span>
          </span>
          <span className="hint operation-resource">{resource ?? 'Not served'}</span>
        </li>
      ))}
    </ul>
  );
}

/** Reads the document again, and shows what has changed. */
function FetchOperations({ api }: { readonly api: Api }) {
  const [url, setUrl] = useState(api.fetchUrl ?? '');
  const fetching = useApiChange((confirm: readonly string[], progressId) =>
    fetchOperations(api.name, { url: url.trim(), confirm }, progressId),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    fetching.mutate([]);
  };
  return (
    <section aria-label="Fetch operations">
      <form className="form card wide" onSubmit={submit} aria-label="Fetch operations" noValidate>
        <FormFailure
          error={fetching.error}
          isAtField={(target) => target === 'url' || isConfirmation({ target })}
        />
        <TextField
          label="URL of the document"
          hint={`If empty, ${api.file} is read again.`}
          value={url}
          problem={fieldMistakes(fetching.error, ['url']).url}
          onChange={setUrl}
        />
        <div className="buttons">
          <button type="submit" className="primary" disabled={fetching.isPending}>
            {fetching.isPending ? 'Fetching …' : 'Fetch operations'}
          </button>
        </div>
        <ConfirmChanges error={fetching.error} confirm={fetching.mutate} isPending={fetching.isPending} />
        <div role="status" className="told">
          {fetching.isPending && (
            <DocumentProgress
              id={fetching.progressId}
              isServed={api.state !== 'registered'}
              otherwise="Fetching the document …"
            />
          )}
          {fetching.isSuccess && (
            <Changes changes={fetching.data} isConfirmed={fetching.variables.length > 0} />
          )}
        </div>
      </form>
    </section>
  );
}

interface ChangesProps {
  readonly changes: OperationChanges;
  /** What users lose by it has been confirmed, so that something is served now that was not before. */
  readonly isConfirmed: boolean;
}

function Changes({ changes, isConfirmed }: ChangesProps) {
  const { changed, added, removed, altered } = changes;
  if (!changed) {
    const told = isConfirmed ? 'The document is served as it is now.' : 'Nothing has changed.';
    return <p className="banner good">{told}</p>;
  }
  return (
    <div className="changes">
      {added.length + removed.length + altered.length === 0 && (
        <p>The document has changed; its operations are the same.</p>
      )}
      <ChangedOperations title="Added" operations={added} />
      <ChangedOperations title="Removed" operations={removed} />
      <ChangedOperations title="Changed" operations={altered} />
    </div>
  );
}

interface ChangedOperationsProps {
  readonly title: string;
  readonly operations: readonly (Operation & { readonly what?: readonly string[] })[];
}

function ChangedOperations({ title, operations }: ChangedOperationsProps) {
  if (operations.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {operations.map(({ method, path, what = [] }) => (
          <li key={`${method} ${path}`} className="changed">
            <MethodMark method={method} /> <code>{path}</code> <span className="hint">{what.join(', ')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The method of an operation, such as `GET`. */
function MethodMark({ method }: { readonly method: string }) {
  const looks = method === 'GET' ? 'view' : method === 'DELETE' ? 'wrong' : '';
  return <span className={`mark method ${looks}`}>{method}</span>;
}
