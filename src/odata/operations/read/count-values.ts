import type { Row, Value } from '../../../contract/entity-source.ts';
import { compileValueCount } from '../../query/compile/compile-value-query.ts';
import type { QueryOptions } from '../../url/options-tree.ts';
import { loadValue } from '../load/load-value.ts';
import type { ValueResource } from '../resource/resource.ts';
import { success } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { countApplied, itemsType } from './applied-values.ts';

/** Reads how many items a collection of values has, as bare text whatever Accept says (Part 1, 11.2.10). */
export function countValues(service: Service, value: ValueResource, options: QueryOptions): Operation {
  const count = counting(service, value, options);
  return async (request, version) => {
    const { data } = await loadValue({ service, context: request }, value);
    return success(version, 'text/plain', String(count(data ?? [])));
  };
}

function counting(service: Service, value: ValueResource, options: QueryOptions): (values: Value) => number {
  const applied = options.apply === undefined ? undefined : itemsType(service.model, value);
  if (applied !== undefined) {
    const run = countApplied(service, applied, options);
    return (values) => run(values as readonly Row[]);
  }
  const { run } = compileValueCount(service.model, value.use, options, service.limits.query);
  return (values) => run(values as readonly Value[]);
}
