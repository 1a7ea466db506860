import type { JWTPayload } from 'jose';
import type { Principal } from '../../contract/principal.ts';
import type { Secret } from '../../contract/secret.ts';
import { discoverKeys } from './discovery.ts';
import { createKeySet } from './key-set.ts';
import type { TokenIssuer } from './token-verifier.ts';

/** Another issuer whose tokens are taken. */
export interface OidcIssuer {
  /** Its URL, as it stands in the claim `iss`. */
  readonly issuer: string;
  /** What its tokens must be meant for; any of them. */
  readonly audiences: readonly string[];
  /** The claim that holds the roles, or the path to it, such as `realm_access.roles`. */
  readonly roleClaim: string;
  /** Its roles to ours; undefined where they have the same names. */
  readonly roles: ReadonlyMap<string, string> | undefined;
  /** As whom the gateway is known to it; undefined where nobody signs in by it. */
  readonly client: OidcClient | undefined;
}

export interface OidcClient {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: Secret | undefined;
  /** What people know the issuer by. */
  readonly name: string;
  /** What stands for the issuer in paths. */
  readonly path: string;
  /** Whether an e-mail address that it has verified is that of the account here. */
  readonly isEmailTrusted: boolean;
}

export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** An issuer that publishes where its keys are (OpenID Connect Discovery 1.0, 4). */
export function oidcIssuer(options: OidcIssuer): TokenIssuer {
  const { issuer, audiences } = options;
  return {
    issuer,
    audience: audiences,
    algorithms: ALGORITHMS,
    keys: createKeySet({ load: () => discoverKeys(issuer) }),
    principalOf: (subject, claims: JWTPayload): Principal => ({
      kind: 'user',
      // Subjects are unique at their issuer only.
      id: `${issuer}#${subject}`,
      roles: rolesFor(options, claims) ?? [],
    }),
  };
}

/** What the issuer says of somebody's roles, in the names that they have here; undefined where it says nothing. */
export function rolesFor(
  { roleClaim, roles }: Pick<OidcIssuer, 'roleClaim' | 'roles'>,
  claims: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  const value = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : valueAt(claims, roleClaim.split('.'));
  if (value === undefined || value === null) return undefined;
  return namesIn(value).flatMap((role) => (roles === undefined ? role : (roles.get(role) ?? [])));
}

/** A list, or names with spaces between them, as `scope` has them. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((role) => role !== '');
  return Array.isArray(value) ? value.filter((role) => typeof role === 'string') : [];
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt(Reflect.get(value, name), rest);
}
