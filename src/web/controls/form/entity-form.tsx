import { useQuery } from '@tanstack/react-query';
import { dataUrl } from '../../service/base.ts';
import { isEntity } from '../../service/entity.ts';
import type { EntitySet } from '../../service/metadata.ts';
import { requestJson } from '../../service/request.ts';
import { Failure } from '../../state/failure.tsx';
import { LoadingFields } from '../../state/loading.tsx';
import type { FormConfiguration } from '../screen.ts';
import { withoutExcluded } from './auto-inputs.tsx';
import { ReadOnlyFields } from './read-only-fields.tsx';

interface EntityFormProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly target: string;
}

/** One entity, to read. */
export function EntityForm({ configuration, entitySet, target }: EntityFormProps) {
  const entity = useQuery({
    queryKey: ['entity', target],
    queryFn: async ({ signal }) => (await requestJson(dataUrl(target), { signal })).body,
  });
  const type = withoutExcluded(entitySet.type, configuration.inputs.exclude);
  if (entity.isError) {
    return <Failure error={entity.error} retry={() => entity.refetch()} what={entitySet.name} />;
  }
  if (entity.isPending) return <LoadingFields count={type.properties.length} />;
  return (
    <div className="form card">
      <ReadOnlyFields type={type} entity={isEntity(entity.data) ? entity.data : {}} />
    </div>
  );
}
