import type { BudgetedRequest, WholeResponse } from '../../../contract/exchange.ts';
import type { GatewayError } from '../../../contract/gateway-error.ts';
import { writeError } from '../../payload/json/error.ts';
import { type ODataVersion, responseVersion } from '../../payload/negotiation/version.ts';

/** An error in the form and the version that the request with these header fields asks for. */
export function errorResponse(error: GatewayError, headers: BudgetedRequest['headers']): WholeResponse {
  return writeError(error, versionOf(headers), headers['accept']);
}

/** The version itself may be what is wrong with the request. */
function versionOf(headers: BudgetedRequest['headers']): ODataVersion {
  try {
    return responseVersion(headers);
  } catch {
    return '4.0';
  }
}
