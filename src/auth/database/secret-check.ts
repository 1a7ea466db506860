import { hkdfSync } from 'node:crypto';
import type { DBAdapter } from 'better-auth';
import { GatewayError } from '../../contract/gateway-error.ts';

/** The table with the check value of the secret, in the format of better-auth's migrations. */
export const secretCheckSchema = {
  secretCheck: { fields: { value: { type: 'string', required: true } } },
} as const;

const CHECKS = 'secretCheck';
const VALUE_BYTES = 16;

type CheckAdapter = Pick<DBAdapter, 'findMany' | 'create' | 'deleteMany'>;

/**
 * Whether the database was created with this secret; undefined if an older version created it without a check
 * value.
 */
export async function hasSecret(adapter: CheckAdapter, secret: string): Promise<boolean | undefined> {
  const [known] = await adapter.findMany<{ readonly value: string }>({ model: CHECKS, limit: 1 });
  return known && known.value === checkValue(secret);
}

export async function storeSecretCheck(adapter: CheckAdapter, secret: string): Promise<void> {
  await adapter.deleteMany({ model: CHECKS, where: [] });
  await adapter.create({ model: CHECKS, data: { value: checkValue(secret) } });
}

/** Derived from the secret for this purpose only (RFC 5869). */
function checkValue(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'duogate secret check 1', VALUE_BYTES)).toString(
    'base64url',
  );
}

export function wrongSecret(): GatewayError {
  const message =
    'AUTH_SECRET is not the one that the accounts database was made with: set that one, or another DATABASE_URL. If it is lost, `duogate secret replace` has the database accept the new one.';
  return new GatewayError('Conflict', message, { target: 'AUTH_SECRET' });
}

export function isWrongSecret(error: unknown): boolean {
  return error instanceof GatewayError && error.target === 'AUTH_SECRET';
}
