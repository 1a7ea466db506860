import { useQuery } from '@tanstack/react-query';
import { dataUrl } from './base.ts';
import type { Metadata } from './metadata.ts';
import { readCsdl } from './read-csdl.ts';
import { requestJson } from './request.ts';

/** The model of what the user may see. */
export function useMetadata() {
  return useQuery<Metadata>({
    queryKey: ['metadata'],
    queryFn: async ({ signal }) =>
      readCsdl((await requestJson(dataUrl('/$metadata?$format=json'), { signal })).body),
    staleTime: 5 * 60_000,
  });
}
