import { Secret } from '../../contract/secret.ts';

/** A bearer token (RFC 6750) that the gateway has been given. Times are milliseconds since 1970. */
export interface AccessToken {
  readonly value: Secret;
  /** From then on another one is asked for, while this one is still good. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** A token answer (RFC 6749, 5.1), as far as it matters here. */
export interface TokenAnswer {
  readonly token: AccessToken;
  /** To be used in the place of the one that was sent. */
  readonly refreshToken: Secret | undefined;
}

const LARGEST_MARGIN_MS = 60_000;

/** A token is renewed when a fifth of its life is left, or a minute. */
export function accessToken(value: string, lifeSeconds: number | undefined, now = Date.now()): AccessToken {
  const life = lifeSeconds === undefined ? Number.POSITIVE_INFINITY : lifeSeconds * 1_000;
  const expiresAt = now + life;
  return { value: new Secret(value), renewAt: expiresAt - Math.min(LARGEST_MARGIN_MS, life / 5), expiresAt };
}
