import { describe, expect, it } from 'vitest';
import { type ApiUser, serveSharedApi } from '../support/shared-api.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const KEYS = { 'idempotency-key': 'order-1001', 'repeatability-request-id': 'order-1001' };

/** Replaces the content of a photo. */
function change(user: ApiUser, keys: Readonly<Record<string, string>>) {
  return user.fetch('/odata/Photos(1)/$value', {
    method: 'PUT',
    headers: { 'content-type': 'image/png', ...keys },
    body: 'png',
  });
}

describe('the keys of changes by a credential that users share', () => {
  it('differ for each user, and are the same for the same key of one', async () => {
    const api = await serveSharedApi((_, reply) => reply.send(204));
    const [anna, ben] = [await api.user('anna'), await api.user('ben')];
    for (const user of [anna, ben, anna]) expect((await change(user, KEYS)).status).toBe(204);
    const sent = api.upstream.requests.map(({ headers }) => Object.keys(KEYS).map((name) => headers[name]));
    expect(sent[2]).toEqual(sent[0]);
    expect(sent[1]).not.toEqual(sent[0]);
    for (const keys of sent) expect(keys).toEqual([expect.stringMatching(UUID), keys[0]]);
  });

  it('are not made up if the client has none', async () => {
    const api = await serveSharedApi((_, reply) => reply.send(204));
    expect((await change(await api.user('anna'), {})).status).toBe(204);
    expect(Object.keys(api.upstream.requests[0]?.headers ?? {})).not.toContain('idempotency-key');
  });
});
