import { describe, expect, it } from 'vitest';
import { type ListDocument, servePaged, things } from './paged-list.ts';

const DOCUMENT: ListDocument = { answer: { total: { type: 'integer' } } };

/** Answers the list so, each time. */
function serve(answer: object, document = DOCUMENT) {
  return servePaged(document, (_, reply) => reply.json(answer));
}

describe('an object that should hold a list', () => {
  it.each<[string, object]>([
    ['has null for it', { items: null }],
    ['lacks it and says so', { total: 0 }],
    ['lacks it beside a member that is null', { total: null }],
  ])('has an empty one where it %s', async (_, answer) => {
    const list = await serve(answer);
    expect(await list.ask('Thing')).toEqual({ status: 200, keys: '' });
    expect(await list.ask('Thing?$orderby=Name')).toEqual({ status: 200, keys: '' });
    const warned = list.entries().filter(({ msg }) => /do not match its document/.test(String(msg)));
    expect(warned).toEqual([
      expect.objectContaining({ property: 'things/items', expected: 'a list', found: 'nothing' }),
    ]);
  });

  it.each<[string, object]>([
    ['is one itself', things(3)],
    ['has a text', { items: 'none' }],
    ['has an object', { items: { id: 1 } }],
    ['has no member of it', {}],
    ['has members that no document describes', { error: 'try later', code: 17 }],
    ['reports an error', { total: 0, success: false }],
    ['reports an error beside null', { items: null, error: { message: 'internal' } }],
  ])('is an error where it %s', async (_, answer) => {
    expect(await (await serve(answer)).ask('Thing')).toMatchObject({
      status: 502,
      code: 'UpstreamBadResponse',
    });
  });

  it('is not believed to be empty where it says that it is not', async () => {
    expect(await (await serve({ items: null, total: 3 })).ask('Thing')).toMatchObject({
      status: 502,
      code: 'UpstreamIncomplete',
    });
  });

  it.each<[string, object]>([
    ['null', { items: null }],
    ['nothing', {}],
  ])('is an error where a strict document demands it, and %s comes', async (_, answer) => {
    const list = await serve(answer, { ...DOCUMENT, strict: true });
    expect(await list.ask('Thing')).toMatchObject({ status: 502, code: 'UpstreamBadResponse' });
  });
});
