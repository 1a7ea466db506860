import { ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { type ErrorCode, GatewayError } from '../../contract/gateway-error.ts';

/** The authorization server has refused: asked the same again, it would say the same (RFC 6749, 5.2). */
export class TokenRefusal extends Error {
  /** Such as `invalid_grant`; undefined where it gives no reason. */
  readonly reason: string | undefined;

  constructor(status: number, reason: string | undefined) {
    super(`the token endpoint answered with status ${status}, ${reason ?? 'for no reason that it gives'}`);
    this.reason = reason;
  }
}

/** A failure to get a token, as a client may see it. Its cause is for the log, and quotes nothing of the answer. */
export function tokenFault(source: string, error: unknown): GatewayError {
  if (!(error instanceof GatewayError)) return fault(source, 'UpstreamBadResponse', causeOf(error));
  return fault(source, error.code, error.cause, error.headers);
}

const FAILURES: Readonly<Partial<Record<ErrorCode, string>>> = {
  UpstreamUnavailable: 'is not available',
  UpstreamTimeout: 'did not answer in time',
  UpstreamThrottled: 'accepts no more requests at the moment',
  UpstreamBusy: 'has too many requests waiting for it',
  CircuitOpen: 'has failed repeatedly and is given a pause',
  UpstreamBadResponse: 'gave an answer that cannot be used',
};

function fault(source: string, code: ErrorCode, cause: unknown, headers = {}): GatewayError {
  const failure = FAILURES[code] ?? 'cannot be asked';
  return new GatewayError(code, `${source} cannot be called: its authorization server ${failure}.`, {
    cause,
    headers,
  });
}

/** The library's errors carry the answer, which may hold a token. */
function causeOf(error: unknown): Error {
  if (error instanceof ResponseBodyError) {
    return new TokenRefusal(error.status, REASON.test(error.error) ? error.error : undefined);
  }
  if (error instanceof WWWAuthenticateChallengeError) return new TokenRefusal(error.status, undefined);
  return new Error(error instanceof Error ? error.message : 'the token endpoint could not be asked');
}

const REASON = /^[\w.:-]{1,64}$/;
