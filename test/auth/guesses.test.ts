import { describe, expect, it } from 'vitest';
import { ownAddress } from '../support/own-name.ts';
import { useGateway } from '../support/running-gateway.ts';
import { ACCESS, bearer, PASSWORD, send, signUp } from './account-client.ts';

const gateway = useGateway({ ...ACCESS, TRUSTED_PROXIES: '127.0.0.1' });

const signIn = (email: string, password: string, from: string) =>
  send(gateway, '/sign-in/email', { email, password }, { 'x-forwarded-for': from });

/** The statuses of wrong passwords, one from each of the addresses. */
async function guess(email: string, addresses: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const from of addresses) statuses.push((await signIn(email, 'wrong horse', from)).status);
  return statuses;
}

const times = (count: number, address: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => address(index));
const HOME = '198.51.100.7';
const refused = (count: number) => Array.from({ length: count }, () => 401);

describe('wrong passwords from one network', () => {
  const FORMS = [
    '2001:db8:0:7::1',
    '2001:DB8:0:7::2',
    '2001:0db8:0000:0007:0000:0000:0000:0003',
    '2001:db8:0:7:ffff::192.0.2.1',
    '2001:db8:0:7:1::',
    '2001:db8::7:0:0:0:1',
  ];

  const somebody = async () => (await signUp(gateway, ownAddress('ann'))).email;
  const nobody = async () => ownAddress('nobody');

  it.each([
    ['an account', somebody, times(6, () => '203.0.113.1')],
    ['no account', nobody, times(6, () => '203.0.113.1')],
    ['an account, from many addresses of IPv6', somebody, FORMS],
    [
      'an account, from an address of IPv4 in many forms',
      somebody,
      [
        '203.0.113.9',
        '::ffff:203.0.113.9',
        '::FFFF:cb00:7109',
        '0:0:0:0:0:ffff:203.0.113.9',
        '::ffff:203.0.113.9',
        '203.0.113.9',
      ],
    ],
  ])('are over after five for %s', async (_, addressOf, addresses) => {
    expect(await guess(await addressOf(), addresses)).toStrictEqual([...refused(5), 429]);
  });

  it('lock nobody out elsewhere', async () => {
    const { email } = await signUp(gateway, ownAddress('ben'));
    expect(
      await guess(
        email,
        times(7, () => '203.0.113.2'),
      ),
    ).toStrictEqual([...refused(5), 429, 429]);
    expect((await signIn(email, PASSWORD, HOME)).status).toBe(200);
    expect((await signIn(email, PASSWORD, '203.0.113.2')).status).toBe(429);
  });

  it('count apart for networks of IPv6 that differ', async () => {
    const addresses = times(7, (index) => `2001:db8:1:${index.toString(16)}::1`);
    expect(await guess(ownAddress('nobody'), addresses)).toStrictEqual(refused(7));
  });
});

describe('wrong passwords from everywhere', () => {
  it('shut strangers out, and not who has been there before, nor who has a session', async () => {
    const { email } = await signUp(gateway, ownAddress('cat'));
    const { text } = await signIn(email, PASSWORD, HOME);
    const { token } = JSON.parse(text) as { readonly token: string };
    const strangers = times(51, (index) => `192.0.2.${index + 1}`);
    expect((await guess(email, strangers)).slice(48)).toStrictEqual([401, 401, 429]);
    const shutOut = await signIn(email, PASSWORD, '203.0.113.77');
    expect([shutOut.status, Number(shutOut.headers.get('retry-after')) > 3000]).toStrictEqual([429, true]);
    expect((await signIn(email, PASSWORD, HOME)).status).toBe(200);
    const change = { currentPassword: PASSWORD, newPassword: 'another horse' };
    const elsewhere = { ...bearer(token), 'x-forwarded-for': '203.0.113.78' };
    expect((await send(gateway, '/change-password', change, elsewhere)).status).toBe(200);
  });
});
