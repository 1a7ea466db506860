import type { Value } from '../../../contract/entity-source.ts';
import { compileValueCount } from '../../query/compile/compile-value-query.ts';
import type { QueryOptions } from '../../url/tree.ts';
import { loadValue } from '../load/load-value.ts';
import type { ValueResource } from '../resource/resource.ts';
import { success } from '../response.ts';
import type { Operation, Service } from '../service.ts';

/** Reads how many items a collection of values has, as bare text whatever Accept says (Part 1, 11.2.10). */
export function countValues(service: Service, value: ValueResource, options: QueryOptions): Operation {
  const { run } = compileValueCount(service.model, value.use, options, service.limits.query);
  return async (request, version) => {
    const { data } = await loadValue({ service, context: request }, value);
    return success(version, 'text/plain', String(run((data ?? []) as readonly Value[])));
  };
}
