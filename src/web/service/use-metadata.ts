import { useQuery } from '@tanstack/react-query';
import { type Metadata, readCsdl } from './metadata.ts';
import { dataUrl, requestJson } from './request.ts';

/** The model that the user may see. */
export function useMetadata() {
  return useQuery<Metadata>({
    queryKey: ['metadata'],
    queryFn: async ({ signal }) =>
      readCsdl(await requestJson(dataUrl('/$metadata?$format=json&include-annotations=*'), { signal })),
    staleTime: 5 * 60_000,
  });
}
