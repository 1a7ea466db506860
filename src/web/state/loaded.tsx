import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** What is read, in a word or two. */
  readonly what: string;
  /** Stands in for it while it is on its way. */
  readonly pending: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** Shows what has been read, or that it is on its way, or why it cannot be shown. */
export function Loaded<Data>({ query, what, pending, children }: LoadedProps<Data>) {
  if (query.isPending) return pending;
  if (query.isError) return <Failure error={query.error} retry={() => query.refetch()} what={what} />;
  return children(query.data);
}
