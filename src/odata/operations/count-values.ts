import type { Value } from '../../contract/entity-source.ts';
import { demandPlainText } from '../payload/format.ts';
import { refuseAllBut } from '../query/options.ts';
import type { QueryOptions } from '../url/tree.ts';
import { loadValue } from './load-value.ts';
import type { ValueResource } from './resource.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads how many items a collection of values has (Part 1, 11.2.10), as bare text. */
export function countValues(service: Service, value: ValueResource, options: QueryOptions): Operation {
  refuseAllBut(options, ['format', 'schemaVersion'], 'a count of values');
  return async (request, version) => {
    demandPlainText(options.format, request.headers['accept']);
    const { data } = await loadValue({ service, context: request }, value);
    return success(version, 'text/plain', String((data as readonly Value[] | null)?.length ?? 0));
  };
}
