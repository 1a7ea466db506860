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
});
