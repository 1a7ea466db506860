import { describe, expect, it } from 'vitest';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import {
  createDeferredAnswers,
  DEFERRED_LIMITS,
} from '../../src/odata/operations/handlers/deferred/deferred-answers.ts';

const USER = { kind: 'user', id: '1', roles: [] } as const;
const OTHER = { kind: 'user', id: '2', roles: [] } as const;
const answerOf = (body: string) => async () => ({ status: 200, headers: {}, body });
const never = () => new Promise<never>(() => undefined);
const nothing = (): void => undefined;

function open(limits: Partial<typeof DEFERRED_LIMITS>, errors: unknown[] = []) {
  const log = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (fields: object) => errors.push(fields),
  };
  return createDeferredAnswers({ ...DEFERRED_LIMITS, ...limits }, log);
}

const bodyOf = (found: ReturnType<ReturnType<typeof open>['find']>) => found?.answer?.body;

describe('answers that are kept for later', () => {
  it('are bounded in number, of one owner and of all', () => {
    const deferred = open({ requests: 3, requestsOfOne: 2 });
    const kept = [USER, USER, USER, OTHER, OTHER].map(
      (owner) => deferred.keep(owner, never, nothing) !== undefined,
    );
    expect(kept).toStrictEqual([true, true, false, true, false]);
  });

  it('make room when they are cancelled', () => {
    const deferred = open({ requests: 1 });
    let cancelled = 0;
    const name = deferred.keep(USER, never, () => {
      cancelled += 1;
    });
    deferred.cancel(String(name));
    expect(cancelled).toBe(1);
    expect(deferred.keep(USER, never, nothing)).toBeDefined();
  });

  it('are bounded in size: one that does not fit any more is not kept', async () => {
    const deferred = open({ size: 20 });
    const [first, second] = ['12345678', 'abc'].map((body) => deferred.keep(USER, answerOf(body), nothing));
    await expect.poll(() => bodyOf(deferred.find(String(second), USER))).toContain('There is no room');
    expect(bodyOf(deferred.find(String(first), USER))).toBe('12345678');
    expect(deferred.keep(USER, answerOf(''), nothing)).toBeUndefined();
  });

  it('leave room for those of other users, however many there are', async () => {
    const deferred = open({ requests: 8, requestsOfOne: 8, size: 1024 });
    const users = Array.from(
      { length: 4 },
      (_, index) => ({ kind: 'user', id: `${index}`, roles: [] }) as const,
    );
    const kept = users.map((user) => {
      const names = Array.from({ length: 8 }, () => deferred.keep(user, answerOf('x'.repeat(64)), nothing));
      return names.filter((name) => name !== undefined).length;
    });
    expect(kept).toStrictEqual([4, 2, 1, 1]);
    const large = open({ size: 1200 });
    const names = [USER, USER, OTHER].map((user) =>
      large.keep(user, answerOf('x'.repeat(user === USER ? 400 : 300)), nothing),
    );
    await expect.poll(() => bodyOf(large.find(String(names[1]), USER))).toContain('There is no room');
    await expect.poll(() => bodyOf(large.find(String(names[2]), OTHER))).toBe('x'.repeat(300));
  });

  it('are gone after a while, and so is what they took', async () => {
    const deferred = open({ size: 6, lifetime: 1 });
    const name = String(deferred.keep(USER, answerOf('abc'), nothing));
    await expect.poll(() => deferred.find(name, USER)).toBeUndefined();
    expect(deferred.keep(USER, answerOf('abc'), nothing)).toBeDefined();
  });

  it.each([
    ['their owner', USER, true],
    ['no other user', OTHER, false],
    ['nobody', { kind: 'anonymous' } as const, false],
    ['nobody without access control', UNRESTRICTED, false],
  ])('are found by %s', (_, asking, isFound) => {
    const deferred = open({});
    const name = String(deferred.keep(USER, never, nothing));
    expect(deferred.find(name, asking) !== undefined).toBe(isFound);
  });

  it('say of a fault of ours that it was one, and the log says which', async () => {
    const errors: unknown[] = [];
    const deferred = open({}, errors);
    const fault = new Error('secret');
    const name = String(deferred.keep(USER, () => Promise.reject(fault), nothing));
    await expect.poll(() => deferred.find(name, USER)?.answer?.status).toBe(500);
    expect(bodyOf(deferred.find(name, USER))).not.toContain('secret');
    expect(errors).toStrictEqual([{ err: fault }]);
  });
});
