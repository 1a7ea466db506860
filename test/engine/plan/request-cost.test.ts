import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/contract/principal.ts';
import { RequestCost, serverTiming } from '../../../src/contract/request-cost.ts';
import { serveShop } from './shop.ts';

/** The value of Server-Timing without the time. */
const counts = (headers: Headers): string | undefined =>
  headers.get('server-timing')?.replace(/dur=\d+\.\d/, 'dur=…');

describe('the cost of a request', () => {
  it.each<[string, string | undefined]>([
    ["Maker?$filter=Id in ('m7','m8')", 'calls;desc="2", pages;desc="0", rows;desc="2", waiting;dur=…'],
    ["Maker?$filter=Name eq 'x'", 'calls;desc="6", pages;desc="6", rows;desc="60", waiting;dur=…'],
    ["Maker?$filter=Id eq 'm99'", 'calls;desc="1", pages;desc="0", rows;desc="0", waiting;dur=…'],
    ['$metadata', undefined],
  ])('is in Server-Timing: %s', async (path, expected) => {
    const shop = await serveShop();
    expect(counts((await shop.ask(path)).headers)).toBe(expected);
  });

  it.each<[string, Principal, boolean]>([
    ['an administrator', { kind: 'user', id: '1', roles: ['Admin'] }, true],
    ['a user', { kind: 'user', id: '1', roles: ['User'] }, false],
    ['a client that is not signed in', { kind: 'anonymous' }, false],
    ['a client without access control', { kind: 'unrestricted' }, true],
  ])('is shown to those who may see it: %s', (_, principal, isShown) => {
    const cost = new RequestCost();
    cost.begin();
    cost.end();
    expect(serverTiming(cost, principal) !== undefined).toBe(isShown);
  });

  it('is counted by entity set', async () => {
    const shop = await serveShop();
    await shop.ask("Maker?$filter=Id in ('m7','m99')");
    await shop.ask('Box');
    const lines = (await shop.metrics()).split('\n').filter((line) => /^duogate_upstream_r/.test(line));
    expect(lines).toStrictEqual([
      'duogate_upstream_reads_total{resource="Maker"} 2',
      'duogate_upstream_reads_total{resource="Box"} 1',
      'duogate_upstream_rows_total{resource="Maker"} 1',
      'duogate_upstream_rows_total{resource="Box"} 30',
    ]);
  });
});
