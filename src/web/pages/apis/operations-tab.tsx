import { useQuery } from '@tanstack/react-query';
import { type Api, readOperations, type ServedOperation } from '../../service/registry.ts';
import { Failure } from '../../state/failure.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { FetchOperations } from './fetch-operations.tsx';
import { MethodMark } from './method-mark.tsx';

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
  if (operations.length === 0) return <p className="notice">The document has no operation.</p>;
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
