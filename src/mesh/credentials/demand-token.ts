import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { SubjectToken, UserPrincipal } from '../../contract/principal.ts';

/** The user who calls. Throws where nobody has signed in whose own rights the upstream could ask about. */
export function demandUser(source: string, { principal }: CallContext): UserPrincipal {
  if (principal.kind === 'user') return principal;
  throw unauthorized(`${source} is called with your own credential: sign in first.`);
}

/** The token that the caller has shown, made by that issuer. Throws what is wrong with it. */
export function demandToken(source: string, issuer: string, user: UserPrincipal): SubjectToken {
  const { token } = user;
  if (token?.issuer !== issuer) {
    throw forbidden(`${source} is called with the caller's own token: expected a bearer token of ${issuer}.`);
  }
  // Work may go on after a request has been answered, and longer than the token is good.
  if (token.expiresAt > Date.now()) return token;
  throw unauthorized(`${source} is called with the caller's own token, which has expired.`);
}

export function forbidden(message: string, cause?: unknown): GatewayError {
  return new GatewayError('Forbidden', message, { cause });
}

function unauthorized(message: string): GatewayError {
  return new GatewayError('Unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="duogate", error="invalid_token"' },
  });
}
