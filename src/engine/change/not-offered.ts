import { GatewayError } from '../../contract/gateway-error.ts';

/** A part of a change for which the upstream has no operation; `target` is where the body has it. */
export function notOffered(target: string, what: string): GatewayError {
  return new GatewayError('NotImplemented', `${target}: the upstream has no operation that ${what}.`, {
    target,
  });
}
