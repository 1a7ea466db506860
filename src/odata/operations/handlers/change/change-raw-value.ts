import type { PropertyResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import type { UpdateOperation } from '../../../../model/operation.ts';
import { jsonOfRawValue } from '../../../payload/body/raw-value-body.ts';
import { demandNoCoding } from '../../../payload/negotiation/content-coding.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { changeProperty } from './change-property.ts';

/** Changes a property by its raw value (Part 1, 11.4.9.1), or makes it null (11.4.9.2). */
export function changeRawValue(
  service: Service,
  value: PropertyResource,
  operation: UpdateOperation,
  method: 'PUT' | 'DELETE',
  options: QueryOptions,
): RequestHandler {
  const change = changeProperty(service, value, operation, method, options);
  if (method === 'DELETE') return change;
  return async (request, version) => {
    demandNoCoding(request.headers);
    const body = jsonOfRawValue(value.use.type, request.headers['content-type'], request.body);
    const headers = { ...request.headers, 'content-type': 'application/json' };
    return change({ ...request, headers, body }, version);
  };
}
