import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { readApi, readRegistry } from '../../service/registry.ts';

/** All APIs, and whether they can be changed. */
export function useRegistry() {
  return useQuery({ queryKey: ['apis'], queryFn: ({ signal }) => readRegistry(signal) });
}

export function useApi(name: string) {
  return useQuery({ queryKey: ['api', name], queryFn: ({ signal }) => readApi(name, signal) });
}

/** A change of an API: whatever depends on which APIs there are, and what they have, is read again. */
export function useApiChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation<Result, Error, Input>({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
}
