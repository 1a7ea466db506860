import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionButton, Form, TextField } from '../../controls/inputs.tsx';
import { Section } from '../../controls/section.tsx';
import {
  type AlteredOperation,
  type ApiDetail,
  type ApiOperation,
  type DocumentOperation,
  fetchOperations,
  type OperationChanges,
  readOperations,
} from '../../service/registry.ts';
import { fieldMistakes } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { useApiChange } from './use-api.ts';

/** The operations of an API, and their resources. */
export function OperationsTab({ api }: { readonly api: ApiDetail }) {
  const operations = useQuery({
    queryKey: ['operations', api.name],
    queryFn: ({ signal }) => readOperations(api.name, signal),
  });
  return (
    <>
      <FetchOperations api={api} />
      <Section title="Operations">
        <Loaded query={operations} what="list of operations" pending={<LoadingRows />}>
          {(list) => <Operations operations={list} />}
        </Loaded>
      </Section>
    </>
  );
}

function Operations({ operations }: { readonly operations: readonly ApiOperation[] }) {
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

/** Reads the document again and shows the changes. */
function FetchOperations({ api }: { readonly api: ApiDetail }) {
  const [url, setUrl] = useState(api.fetchUrl ?? '');
  const fetching = useApiChange((confirm: readonly string[], progressId) =>
    fetchOperations(api.name, { url: url.trim(), confirm }, progressId),
  );
  return (
    <section aria-label="Fetch operations">
      <Form
        className="form card wide"
        submit={() => fetching.mutate([])}
        error={fetching.error}
        isAtField={(target) => target === 'url' || isConfirmation(target)}
        aria-label="Fetch operations"
        noValidate
      >
        <TextField
          label="URL of the document"
          hint={`If empty, ${api.file} is read again.`}
          value={url}
          problem={fieldMistakes(fetching.error, ['url']).url}
          onChange={setUrl}
        />
        <div className="buttons">
          <ActionButton label="Fetch operations" doing="Fetching …" isPending={fetching.isPending} />
        </div>
        <ConfirmChanges error={fetching.error} confirm={fetching.mutate} isPending={fetching.isPending} />
        <ChangeStatus
          change={fetching}
          isServed={api.state !== 'registered'}
          otherwise="Fetching the document …"
          done={fetching.isSuccess && tellFetch(fetching.data, fetching.variables.length > 0)}
        >
          {fetching.isSuccess && <Changes changes={fetching.data} />}
        </ChangeStatus>
      </Form>
    </section>
  );
}

/** The message without changed operations. After a confirmation, a new state is served nevertheless. */
function tellFetch(
  { changed, added, removed, altered }: OperationChanges,
  isConfirmed: boolean,
): string | undefined {
  if (!changed) return isConfirmed ? 'The current document is now served.' : 'Nothing has changed.';
  if (added.length + removed.length + altered.length > 0) return undefined;
  return 'The document has changed; its operations are the same.';
}

function Changes({ changes: { added, removed, altered } }: { readonly changes: OperationChanges }) {
  return (
    <div className="changes">
      <ChangedOperations title="Added" operations={added} />
      <ChangedOperations title="Removed" operations={removed} />
      <ChangedOperations title="Changed" operations={altered} />
    </div>
  );
}

interface ChangedOperationsProps {
  readonly title: string;
  readonly operations: readonly (DocumentOperation & Partial<AlteredOperation>)[];
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

function MethodMark({ method }: { readonly method: string }) {
  const looks = method === 'GET' ? 'view' : method === 'DELETE' ? 'wrong' : '';
  return <span className={`mark method ${looks}`}>{method}</span>;
}
