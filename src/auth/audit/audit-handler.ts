import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ACCOUNT_HEADERS } from '../account-error.ts';
import type { Authenticator } from '../authenticator.ts';
import { demandAdministrator } from '../users/for-administrators.ts';
import type { AuditTrail } from './audit-trail.ts';

export interface AuditHandlerOptions {
  readonly trail: Pick<AuditTrail, 'latest'>;
  readonly authenticator: Pick<Authenticator, 'userOfSession'>;
}

const AT_ONCE = 100;

/** Tells administrators what was done, the latest first: `GET`, with `before` for what was done before that moment. */
export function createAuditHandler({ trail, authenticator }: AuditHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    await demandAdministrator(authenticator, request, 'What was done is shown to users with');
    const { pathname, searchParams } = new URL(request.target, 'http://localhost');
    if (pathname !== '/') throw new GatewayError('NotFound', 'There is nothing at this path.');
    if (request.method !== 'GET') {
      throw new GatewayError('MethodNotAllowed', 'Only GET is possible here.', {
        headers: { allow: 'GET, HEAD' },
      });
    }
    const events = await trail.latest(AT_ONCE, momentOf(searchParams.get('before')));
    return { status: 200, headers: ACCOUNT_HEADERS, body: JSON.stringify({ events }) };
  };
}

function momentOf(text: string | null): Date | undefined {
  if (text === null) return undefined;
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new GatewayError('BadRequest', 'before must be a moment as ISO 8601 has it.', { target: 'before' });
}
