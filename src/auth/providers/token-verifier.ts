import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { Principal } from '../../contract/principal.ts';
import { Secret } from '../../contract/secret.ts';
import { credentialRefused } from './credential.ts';
import type { KeySet } from './key-set.ts';

/** Whose tokens are believed. */
export interface TokenIssuer {
  /** As it stands in the claim `iss`. */
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly algorithms: readonly string[];
  readonly keys: KeySet;
  readonly principalOf: (subject: string, claims: JWTPayload) => Principal;
}

export interface VerifiedToken {
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Verifies JSON Web Tokens (RFC 7519) of the issuers that it knows. */
export interface TokenVerifier {
  /** Throws Unauthorized for a token that is no good, AccountsUnavailable where no key is to be had. */
  verify(token: string): Promise<VerifiedToken>;
}

const CLOCK_TOLERANCE_S = 5;

export function createTokenVerifier(issuers: readonly TokenIssuer[], log: Log): TokenVerifier {
  const byName = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  return {
    async verify(token) {
      try {
        const issuer = byName.get(decodeJwt(token).iss ?? '');
        if (issuer === undefined) throw new errors.JWTInvalid('unknown issuer');
        return await verifyBy(issuer, token);
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw keysUnavailable(error);
        log.debug({ reason: error.code }, 'a token was refused');
        throw credentialRefused();
      }
    },
  };
}

async function verifyBy(issuer: TokenIssuer, token: string): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(token, issuer.keys.key, {
    issuer: issuer.issuer,
    audience: [issuer.audience].flat(),
    algorithms: [...issuer.algorithms],
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_TOLERANCE_S,
  });
  const { sub = '', exp = 0, aud = [] } = payload;
  const expiresAt = exp * 1000;
  const principal = issuer.principalOf(sub, payload);
  if (principal.kind !== 'user') return { principal, expiresAt };
  const shown = {
    value: new Secret(token),
    issuer: issuer.issuer,
    audiences: [aud].flat(),
    expiresAt,
  };
  return { principal: { ...principal, token: shown }, expiresAt };
}

function keysUnavailable(cause: unknown): GatewayError {
  return new GatewayError('AccountsUnavailable', 'The keys that tokens are signed with cannot be had now.', {
    cause,
    headers: { 'retry-after': '5' },
  });
}
