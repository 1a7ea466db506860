import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newProgressId } from '../../service/progress.ts';
import { type ApiDetail, readApi, readRegistry } from '../../service/registry.ts';

/** All APIs, and whether they can be changed. */
export function useRegistry() {
  return useQuery({ queryKey: ['apis'], queryFn: ({ signal }) => readRegistry(signal) });
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
