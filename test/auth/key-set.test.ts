import { exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createKeySet } from '../../src/auth/providers/token-verifier.ts';

interface Published {
  readonly set: JSONWebKeySet;
  readonly sign: () => Promise<string>;
}

async function publish(kid: string): Promise<Published> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const set = { keys: [{ ...(await exportJWK(publicKey)), kid }] };
  return { set, sign: () => new SignJWT({}).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey) };
}

describe('the keys of an issuer', () => {
  it('are got once for all who wait for them', async () => {
    const { set, sign } = await publish('a');
    let loads = 0;
    const keys = createKeySet({
      load: async () => {
        loads += 1;
        return set;
      },
    });
    await Promise.all([sign(), sign(), sign()].map(async (token) => jwtVerify(await token, keys.key)));
    expect(loads).toBe(1);
  });

  it('are got anew for a key that is not known, and those that are withdrawn are forgotten', async () => {
    const [first, second] = [await publish('a'), await publish('b')];
    let published = first;
    const keys = createKeySet({ load: async () => published.set, cooldownMs: 0 });
    await jwtVerify(await first.sign(), keys.key);
    published = second;
    await jwtVerify(await second.sign(), keys.key);
    await expect(jwtVerify(await first.sign(), keys.key)).rejects.toThrow('no applicable key');
  });

  it('go on verifying while they cannot be had', async () => {
    const { set, sign } = await publish('a');
    let loads = 0;
    const load = async () => {
      loads += 1;
      if (loads > 1) throw new Error('down');
      return set;
    };
    const keys = createKeySet({ load, cooldownMs: 0, maxAgeMs: 0 });
    for (let times = 0; times < 3; times++) await jwtVerify(await sign(), keys.key);
    expect(loads).toBe(3);
  });

  it('fail as they failed to be had', async () => {
    const { sign } = await publish('a');
    const load = async () => {
      throw new Error('down');
    };
    await expect(jwtVerify(await sign(), createKeySet({ load }).key)).rejects.toThrow('down');
  });
});
