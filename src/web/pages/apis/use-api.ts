import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newProgressId } from '../../service/progress.ts';
import { type ApiDetail, readApi, readRegistry } from '../../service/registry.ts';

/** The list of APIs in pages, and whether APIs can be changed. */
export function useApis() {
  return useInfiniteQuery({
    queryKey: ['apis'],
    queryFn: ({ pageParam, signal }) => readRegistry(pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
}

/** Reads if APIs can be changed, without listing any. */
export function useRegistry() {
  return useQuery({ queryKey: ['apis', 'none'], queryFn: ({ signal }) => readRegistry('?top=0', signal) });
}

export function useApi(name: string) {
  return useQuery({ queryKey: ['api', name], queryFn: ({ signal }) => readApi(name, signal) });
}

/** A change of an API, whose progress can be read by an id; after it, everything but the session is read again. */
export function useApiChange<Input, Result>(change: (input: Input, progressId: string) => Promise<Result>) {
  const client = useQueryClient();
  const [progressId] = useState(newProgressId);
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: (input) => change(input, progressId),
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
  return { ...mutation, progressId };
}

/** What a tab of an API is told. */
export interface TabProps {
  readonly api: ApiDetail;
  /** Whether APIs can be changed. */
  readonly isWritable: boolean;
}
