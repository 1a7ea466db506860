import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

/** Derives the key of a change from its owner and the key that the owner chose. */
export type ChangeKeys = (owner: string, chosen: string) => string;

/**
 * Derives keys that differ by owner and are the same on all instances with this secret. They are UUIDs of
 * version 8 (RFC 9562, 5.8), for APIs that require UUIDs.
 */
export function changeKeys(secret: string): ChangeKeys {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'duogate change keys 1', 32)));
  return (owner, chosen) => {
    const bytes = createHmac('sha256', key)
      .update(JSON.stringify([owner, chosen]))
      .digest();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
}
