import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { isMediaInsert } from '../../payload/negotiation/media-content.ts';
import type { Service } from '../service/service.ts';
import { bindTarget } from './bind-target.ts';
import type { Resource } from './resource.ts';

/** Whether the body of the request is a stream, which is handed on as it is and thus as it comes. */
export function takesUpload(
  service: Pick<Service, 'model' | 'root' | 'limits'>,
  { method, target, headers }: Pick<BudgetedRequest, 'method' | 'target' | 'headers'>,
): boolean {
  if (method !== 'PUT' && method !== 'POST') return false;
  try {
    return isStreamOf(bindTarget(service, target).resource, method, headers['content-type']);
  } catch (error) {
    // What is wrong with the request is told when it is answered.
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

function isStreamOf(resource: Resource, method: 'PUT' | 'POST', contentType: string | undefined): boolean {
  if (resource.kind === 'stream' && resource.origin.kind === 'entity') return method === 'PUT';
  if (resource.kind !== 'collection' || resource.origin.kind !== 'operations') return false;
  const { insert } = resource.origin.operations;
  return method === 'POST' && insert !== undefined && isMediaInsert(insert, contentType);
}
