import { describe, expect, it } from 'vitest';
import { type ApiUser, serveSharedApi } from '../support/shared-api.ts';
import type { Behaviour, Reply } from '../support/stand-in-upstream.ts';

const photo = { id: 1, title: 'Harbour' };

/** Keys above 100 fail, and all others are answered. */
const failing =
  (fail: (reply: Reply) => void): Behaviour =>
  ({ target }, reply) => {
    if (Number(target.slice('/photos/'.length)) > 100) fail(reply);
    else reply.json(target === '/photos' ? [photo] : photo);
  };

async function outcome(user: ApiUser, key: number): Promise<string> {
  const { status, text } = await user.fetch(`/odata/Photos(${key})`);
  return status === 200 ? 'found' : JSON.parse(text).error.code;
}

const outcomes = async (user: ApiUser, times: number): Promise<readonly string[]> => {
  const all: string[] = [];
  for (let each = 0; each < times; each += 1) all.push(await outcome(user, 101 + each));
  return all;
};

describe('an operation that fails for one user', () => {
  it.each<[string, (reply: Reply) => void]>([
    ['by an answer', (reply) => reply.send(500)],
    ['by a connection that breaks', (reply) => reply.reset()],
  ])('%s is paused for that user alone', async (_, fail) => {
    const api = await serveSharedApi(failing(fail));
    const [anna, ben] = [await api.user('anna'), await api.user('ben')];
    expect((await outcomes(anna, 60)).at(-1)).toBe('CircuitOpen');
    expect(await outcome(anna, 1)).toBe('CircuitOpen');
    expect(await outcome(ben, 1)).toBe('found');
    // A failure of the other one is no reason to pause it for all.
    expect(await outcome(ben, 101)).toBe('UpstreamUnavailable');
    expect(await outcome(ben, 1)).toBe('found');
    expect(api.entries()).toContainEqual(
      expect.objectContaining({ msg: 'the circuit breaker is open', asker: expect.stringMatching(/^user /) }),
    );
  });
});

describe('an operation that fails for several users', () => {
  it('is paused for all', async () => {
    const api = await serveSharedApi(failing((reply) => reply.send(500)));
    const [anna, ben, cleo] = [await api.user('anna'), await api.user('ben'), await api.user('cleo')];
    for (const user of [anna, ben]) await outcomes(user, 12);
    expect(await outcome(cleo, 1)).toBe('CircuitOpen');
  });
});

describe('an API that cannot be reached', () => {
  it('is paused for all, however many users have tried', async () => {
    const api = await serveSharedApi(() => undefined);
    const [anna, ben] = [await api.user('anna'), await api.user('ben')];
    await api.upstream.close();
    expect((await outcomes(anna, 30)).at(-1)).toBe('CircuitOpen');
    expect(await outcome(ben, 1)).toBe('CircuitOpen');
  });
});
