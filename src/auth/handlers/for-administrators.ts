import type { AuditedAct } from '../../contract/audit.ts';
import { type GatewayRequest, type GatewayResponse, pathOf } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ADMINISTRATOR, isAdministrator } from '../../contract/principal.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { User } from '../database/accounts-store.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import type { AddressOf } from '../requests/client-address.ts';
import type { RateLimits } from '../requests/rate-limits.ts';

/** Dependencies of the handlers for administrators. */
export interface AdministratorsDependencies {
  readonly authenticator: Pick<Authenticator, 'requireUser' | 'forget'>;
  readonly trail: Pick<AuditTrail, 'note'>;
  readonly limits: Pick<RateLimits, 'countRequest'>;
  readonly addressOf: AddressOf;
}

/** A request of an administrator. */
export interface AdministratorsRequest extends GatewayRequest {
  readonly user: User;
  /** The path below the handler's own, such as `/x`. */
  readonly path: string;
  /** Runs the work and records its actions in the audit log, failed ones included. */
  readonly noting: <Result>(
    acts: (result: Result | undefined) => readonly AuditedAct[],
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

/** Throws Unauthorized without a session, and Forbidden if the user is not an administrator. */
export async function requireAdministrator(
  { requireUser }: Pick<Authenticator, 'requireUser'>,
  request: GatewayRequest,
  refusal: string,
): Promise<User> {
  const user = await requireUser(request);
  if (!isAdministrator(user)) throw new GatewayError('Forbidden', `${refusal} the role ${ADMINISTRATOR}.`);
  return user;
}

/** Serves signed-in administrators only; API keys and tokens cannot manage accounts. */
export function forAdministrators(
  { authenticator, trail, limits, addressOf }: AdministratorsDependencies,
  serve: (request: AdministratorsRequest) => Promise<GatewayResponse>,
) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    const address = addressOf({ socket: { remoteAddress: request.remote }, headers: request.headers });
    await limits.countRequest(address);
    const user = await requireAdministrator(authenticator, request, 'Accounts are managed by users with');
    const note = (act: AuditedAct): void =>
      trail.note({ ...act, actor: user.email, address, request: request.id });
    return serve({
      ...request,
      user,
      path: pathOf(request.target),
      async noting(acts, work) {
        try {
          const result = await work();
          for (const act of acts(result)) note(act);
          return result;
        } catch (error) {
          if (error instanceof GatewayError && error.code === 'Conflict')
            for (const act of acts(undefined)) note({ ...act, isRefused: true });
          throw error;
        }
      },
    });
  };
}
