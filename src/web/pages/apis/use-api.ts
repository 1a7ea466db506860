import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, readApi } from '../../service/registry.ts';

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

/** Puts an API that an answer has told into the place of the one that was read. */
export function useToldApi(): (api: Api) => void {
  const client = useQueryClient();
  return (api) => client.setQueryData(['api', api.name], api);
}
