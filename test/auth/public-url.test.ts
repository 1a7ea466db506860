import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { ACCESS, bearer, signUp, tokenOf } from './account-client.ts';

const BASE_URL = 'https://gateway.example/data';
const gateway = useGateway({ ...ACCESS, BASE_URL });
beforeEach(() => gateway.upstream.behave(postsApi));

describe('behind https and a path', () => {
  it('a session stands in a cookie that never travels unencrypted', async () => {
    const { cookie } = await signUp(gateway, 'anna@example.com');
    expect(cookie).toMatch(/^__Secure-duogate\.session_token=/);
    expect((await gateway.fetch('/odata', { headers: { cookie } })).status).toBe(200);
  });

  it.each([
    ['https://gateway.example', 201],
    ['http://gateway.example', 403],
    ['https://gateway.example.evil', 403],
    ['http://localhost:4000', 403],
  ])('a page of %s gets %i for a create with the cookie', async (origin, expected) => {
    const { cookie } = await signUp(gateway, 'ben@example.com');
    const headers = { 'content-type': 'application/json', cookie, origin };
    const { status } = await gateway.fetch('/odata/Post', { method: 'POST', body: '{"title":"x"}', headers });
    expect(status).toBe(expected);
  });

  it('tokens are issued by the public URL, and for it', async () => {
    const token = await tokenOf(gateway, await signUp(gateway, 'cat@example.com'));
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect([claims.iss, claims.aud]).toStrictEqual([BASE_URL, BASE_URL]);
    expect((await gateway.fetch('/odata', { headers: bearer(token) })).status).toBe(200);
  });
});
