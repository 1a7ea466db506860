import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** The name of the content. */
  readonly what: string;
  /** The placeholder while loading. */
  readonly pending: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** Shows loaded content, a placeholder, or an error. */
export function Loaded<Data>({ query, what, pending, children }: LoadedProps<Data>) {
  if (query.isPending) return pending;
  if (query.isError) return <Failure error={query.error} retry={() => query.refetch()} what={what} />;
  return children(query.data);
}
