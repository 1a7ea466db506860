import { useSearchParams } from 'react-router';
import type { EntitySet } from '../../service/metadata.ts';
import { fillTargetUrl } from '../../service/target-url.ts';
import { Notice } from '../../state/notice.tsx';
import type { FormConfiguration } from '../screen.ts';
import { CreateForm } from './create-form.tsx';
import { EntityForm } from './entity-form.tsx';

interface FormControlProps {
  readonly configuration: FormConfiguration;
  readonly entitySet: EntitySet;
  readonly title: string;
}

/** A form on what its Target URL names: an entity, to read, or a collection, to create an entity in. */
export function FormControl({ configuration, entitySet, title }: FormControlProps) {
  const [parameters] = useSearchParams();
  const target = fillTargetUrl(configuration.targetUrl, parameters);
  if (target === undefined) {
    return (
      <Notice title={`No ${entitySet.name} chosen`}>
        <p>Choose one from the list.</p>
      </Notice>
    );
  }
  return configuration.inputs.readOnly ? (
    <EntityForm configuration={configuration} entitySet={entitySet} target={target} />
  ) : (
    <CreateForm configuration={configuration} entitySet={entitySet} target={target} title={title} />
  );
}
