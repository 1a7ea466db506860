import type { Row, Value } from '../../../../contract/row.ts';
import type { Work } from '../../../../contract/work.ts';
import { loadValue } from '../../../../engine/load/load-value.ts';
import { compileValueCount } from '../../../../engine/pipeline/compile-value-query.ts';
import type { ValueResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { beginRun, type QueryRun } from '../../../../engine/values/current-run.ts';
import { success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { countApplied, itemsType } from './applied-values.ts';

/** Reads how many items a collection of values has, as bare text whatever Accept says (Part 1, 11.2.10). */
export function countValues(service: Service, value: ValueResource, options: QueryOptions): RequestHandler {
  const count = counting(service, value, options);
  return async (request, version) => {
    const { data } = await loadValue({ service, context: request }, value);
    const { budget } = request;
    const counted = await budget.run(count(beginRun(budget), data ?? []));
    return success(version, 'text/plain', String(counted));
  };
}

function counting(
  service: Service,
  value: ValueResource,
  options: QueryOptions,
): (run: QueryRun, values: Value) => Work<number> {
  const applied = options.apply === undefined ? undefined : itemsType(value);
  if (applied !== undefined) {
    const applying = countApplied(service, applied, options);
    return (run, values) => applying(run, values as readonly Row[]);
  }
  const query = compileValueCount(service.model, value.use, options, service.limits.query);
  return (run, values) => query.run(run, values as readonly Value[]);
}
