import { type GatewayRequest, type GatewayResponse, jsonAnswer, pathOf } from '../../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../../contract/gateway-error.ts';
import type { AuditPlace, AuditTrail } from '../audit/audit-trail.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import { queryOf } from '../requests/account-answers.ts';
import { requireAdministrator } from './for-administrators.ts';

interface AuditHandlerOptions {
  readonly trail: Pick<AuditTrail, 'latest'>;
  readonly authenticator: Pick<Authenticator, 'requireUser'>;
}

const AT_ONCE = 100;

/**
 * Returns audit events to administrators, newest first: `GET`, with an optional `before`, a moment or the
 * `next` of an earlier response.
 */
export function createAuditHandler({ trail, authenticator }: AuditHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    await requireAdministrator(authenticator, request, 'The audit log is shown to users with');
    const path = pathOf(request.target);
    if (path !== '' && path !== '/') throw nothingHere();
    if (request.method !== 'GET') throw methodNotAllowed('GET, HEAD');
    const { events, next } = await trail.latest(AT_ONCE, parseAuditPlace(queryOf(request).get('before')));
    const body = { events, next: next === undefined ? null : `${next.at.toISOString()},${next.id}` };
    return jsonAnswer(200, body);
  };
}

/**
 * Parses a position: a moment such as `2026-01-31T12:00:00.000Z`, optionally followed by a comma and an id.
 */
function parseAuditPlace(text: string | null): AuditPlace | undefined {
  if (text === null) return undefined;
  const [, moment = '', id] = /^([^,]*)(?:,([\w-]{1,64}))?$/.exec(text) ?? [];
  const at = new Date(moment);
  if (!Number.isNaN(at.getTime())) return { at, id };
  const message = 'before must be a date and time in ISO 8601, or the next of an earlier answer.';
  throw new GatewayError('BadRequest', message, { target: 'before' });
}
