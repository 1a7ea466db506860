import type { EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';

/** Whether whoever asks may view the entities of the resource. */
export function mayView(source: EntitySource, resource: string, context: CallContext): boolean {
  try {
    source.permit?.(resource, 'View', context);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
