import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newProgressId } from '../../service/progress.ts';
import { type ApiDetail, readApi, readRegistry, readUsage } from '../../service/registry.ts';

/** The pages of the list of APIs. */
export function useApis() {
  return useInfiniteQuery({
    queryKey: ['apis'],
    queryFn: ({ pageParam, signal }) => readRegistry(pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
}

/** Reads whether APIs can be changed, without listing any. */
export function useRegistry() {
  return useQuery({ queryKey: ['apis', 'none'], queryFn: ({ signal }) => readRegistry('?top=0', signal) });
}

export function useApi(name: string) {
  return useQuery({ queryKey: ['api', name], queryFn: ({ signal }) => readApi(name, signal) });
}

/** Reads the calls of an API today, and its limits. */
export function useUsage(name: string) {
  return useQuery({ queryKey: ['usage', name], queryFn: ({ signal }) => readUsage(name, signal) });
}

/** A change of an API with a progress id; afterwards, all data except the session is reloaded. */
export function useApiChange<Input, Result>(change: (input: Input, progressId: string) => Promise<Result>) {
  const client = useQueryClient();
  const [progressId] = useState(newProgressId);
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: (input) => change(input, progressId),
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
  return { ...mutation, progressId };
}

export interface TabProps {
  readonly api: ApiDetail;
  /** False if APIs are read-only. */
  readonly isWritable: boolean;
}
