import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

export interface KeySetOptions {
  /** Gets the keys from where they are published. */
  readonly load: () => Promise<JSONWebKeySet>;
  /** The least time between two attempts to get them. */
  readonly cooldownMs?: number;
  /** After that time they are got again, because some may have been withdrawn. */
  readonly maxAgeMs?: number;
}

/** The keys of an issuer. */
export interface KeySet {
  readonly key: JWTVerifyGetKey;
  /** Gets the keys before they are needed. */
  load(): Promise<void>;
}

/**
 * Keys that are known go on verifying while they cannot be got anew. A key that is not known is looked for at
 * most once per cooldown: whoever makes up names of keys makes no calls.
 */
export function createKeySet({ load, cooldownMs = 30_000, maxAgeMs = 600_000 }: KeySetOptions): KeySet {
  let find: JWTVerifyGetKey | undefined;
  let failure: unknown;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  const attempt = async (): Promise<void> => {
    attemptedAt = performance.now();
    try {
      find = createLocalJWKSet(await load());
      loadedAt = performance.now();
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    loading = undefined;
  };
  const refresh = async (): Promise<void> => {
    if (loading === undefined && performance.now() - attemptedAt < cooldownMs) return;
    loading ??= attempt();
    await loading;
  };
  const known = (): JWTVerifyGetKey => {
    if (find === undefined) throw failure;
    return find;
  };
  return {
    load: refresh,
    async key(header, token) {
      // Who did not answer when he was last asked keeps nobody waiting that can be answered without him.
      const renewed = performance.now() - loadedAt > maxAgeMs ? refresh() : undefined;
      if (find === undefined || failure === undefined) await renewed;
      const before = known();
      try {
        return await before(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        if (known() === before) throw error;
        return await known()(header, token);
      }
    },
  };
}
