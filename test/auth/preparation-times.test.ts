import { describe, expect, it } from 'vitest';
import { PreparationTimes } from '../../src/contract/preparation-times.ts';
import type { Principal } from '../../src/contract/principal.ts';

const scope = { permissions: new Map(), text: 'Post' };
const user = (id: string): Principal => ({ kind: 'user', id, roles: [], scoped: { roles: ['User'], scope } });
const ofRoles: Principal = { kind: 'user', id: 'anna', roles: ['User'] };

/** Takes more time than a user has. */
function work(): string {
  const start = performance.now();
  while (performance.now() - start < 3);
  return 'made';
}

describe('what is prepared for the scopes of a user', () => {
  it('is refused when the time of that user is used up, and of nobody else', () => {
    const times = new PreparationTimes(1);
    expect(times.prepare(user('anna'), work)).toBe('made');
    expect(() => times.prepare(user('anna'), work)).toThrow(
      expect.objectContaining({
        code: 'TooManyRequests',
        headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      }),
    );
    expect(times.prepare(user('ben'), work)).toBe('made');
    expect(times.prepare(ofRoles, work)).toBe('made');
  });

  it('is prepared one after the other for a user, and charged stretch by stretch', async () => {
    const times = new PreparationTimes(1);
    const order: string[] = [];
    function* inStretches(name: string): Generator<void, string, void> {
      for (let stretch = 0; stretch < 3; stretch += 1) {
        order.push(name);
        work();
        yield;
      }
      return name;
    }
    const first = times.prepareInTurns(user('anna'), inStretches('first'));
    const second = times.prepareInTurns(user('anna'), inStretches('second'));
    const others = times.prepareInTurns(user('ben'), inStretches('others'));
    await expect(first).resolves.toBe('first');
    await expect(second).rejects.toMatchObject({ code: 'TooManyRequests' });
    await expect(others).resolves.toBe('others');
    expect(order.toSorted()).toStrictEqual([...Array(3).fill('first'), ...Array(3).fill('others')]);
  });
});
