import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ListDocument, servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const BY_PAGE: ListDocument = {
  parameters: { page: { ...integer, default: 1 }, per_page: { ...integer, maximum: 20 } },
  answer: {},
};

/** The page of 250 things with that number; there are 13 of them. */
const page = (number: number) => ({ items: things(250).slice((number - 1) * 20, number * 20) });

describe('an upstream that fails between two pages', () => {
  it.each([429, 503])('is asked again after the pause that it wants: %s', async (status) => {
    let refusals = 0;
    const list = await servePaged(BY_PAGE, ({ number }, reply) => {
      if (number('page', 1) === 7 && refusals < 2) {
        refusals += 1;
        reply.send(status, '{}', { 'retry-after': '0' });
      } else reply.json(page(number('page', 1)));
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect(list.queries()).toHaveLength(16);
  });

  it('is asked again as often as the time that it names has passed (RFC 9110, 10.2.3)', async () => {
    let refusals = 0;
    const list = await servePaged(BY_PAGE, ({ number }, reply) => {
      if (number('page', 1) === 2 && refusals < 5) {
        refusals += 1;
        reply.send(429, '{}', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' });
      } else reply.json(page(number('page', 1)));
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect(refusals).toBe(5);
  });

  it.each([
    [429, 5, 'UpstreamThrottled'],
    [503, 4, 'UpstreamUnavailable'],
  ])('is asked at most five times where it says no time: %i', async (status, tries, code) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const list = await servePaged(BY_PAGE, ({ number }, reply) => {
      if (number('page', 1) === 3) reply.send(status, '{}');
      else reply.json(page(number('page', 1)));
    });
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ code });
    expect(list.queries().filter((query) => query.includes('page=3&'))).toHaveLength(tries);
  });

  it('is asked no more for pages that were requested ahead than for others', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const list = await servePaged({ ...BY_PAGE, answer: { total: integer } }, ({ number }, reply) => {
      if (number('page', 1) > 2) reply.send(429, '{}');
      else reply.json({ ...page(number('page', 1)), total: 250 });
    });
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 503, code: 'UpstreamThrottled' });
    expect(list.queries().filter((query) => query.includes('page=3&'))).toHaveLength(5);
    expect(list.queries()).toHaveLength(2 + 5 + 3);
  });

  it.each(['3600', 'Fri, 01 Jan 2100 00:00:00 GMT'])(
    'is not waited for longer than there is time: %s',
    async (time) => {
      const list = await servePaged(
        BY_PAGE,
        ({ number }, reply) => {
          if (number('page', 1) === 3) reply.send(429, '{}', { 'retry-after': time });
          else reply.json(page(number('page', 1)));
        },
        { environment: { PAGES_TIMEOUT_MS: '30000' } },
      );
      expect(await list.ask('Thing?$orderby=Id')).toEqual({
        status: 503,
        code: 'UpstreamThrottled',
        message:
          'The upstream service accepts no more requests at the moment. 40 rows came, on 2 pages, in the time that a list is given (PAGES_TIMEOUT_MS).',
      });
    },
  );

  it('says how far it has come when the time is over', async () => {
    const list = await servePaged(
      { ...BY_PAGE, answer: { total: integer } },
      ({ number }, reply) => {
        const answer = () => reply.json({ ...page(number('page', 1)), total: 250 });
        if (number('page', 1) === 1) setTimeout(answer, 20);
        else answer();
      },
      { environment: { PAGES_TIMEOUT_MS: '1' } },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({
      status: 504,
      code: 'UpstreamTimeout',
      message: expect.stringMatching(
        /^The upstream service did not answer in time\. \d0 of 250 rows came, on \d pages?, in the time that a list is given \(PAGES_TIMEOUT_MS\)\.$/,
      ),
    });
  });

  it.each([400, 404, 500])('is an error, and never a part: %s', async (status) => {
    const list = await servePaged(BY_PAGE, ({ number }, reply) => {
      if (number('page', 1) === 7) reply.send(status, '{}');
      else reply.json(page(number('page', 1)));
    });
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502 });
  });

  it.each(['user:secret@', 'user@', ':secret@'])(
    'is an error where its next URL has a credential: %s',
    async (given) => {
      const list = await servePaged({ answer: {} }, ({ url }, reply) =>
        reply.json({ ...page(1), next: `${url.replace('//', `//${given}`)}/api/things?page=2` }),
      );
      expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502, code: 'UpstreamBadResponse' });
      expect(list.queries()).toHaveLength(1);
    },
  );

  it('is told of in the log, with what the client is not told', async () => {
    const list = await servePaged({ answer: {} }, (_, reply) =>
      reply.json({ ...page(1), next: 'http://elsewhere.example/secret' }),
    );
    await list.ask('Thing');
    expect(list.entries()).toContainEqual(
      expect.objectContaining({
        code: 'UpstreamBadResponse',
        cause: 'Error: the URL of the next page leads away from the upstream',
      }),
    );
  });
});

describe('the limits of a list', () => {
  it('are the number of its rows', async () => {
    const list = await servePaged(BY_PAGE, ({ number }, reply) => reply.json(page(number('page', 1))), {
      environment: { PAGES_ROWS: '50' },
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({
      status: 502,
      code: 'UpstreamIncomplete',
      message:
        'The list is too long to be read as a whole: 60 rows came, on 3 pages, and at most 50 rows (PAGES_ROWS) are read. Ask for a part of it, for example with $top.',
    });
    expect(await list.ask('Thing?$top=30')).toEqual({ status: 200, keys: '1-30' });
  });

  it('are the bytes of all pages', async () => {
    const long = 'x'.repeat(50_000);
    const list = await servePaged(
      BY_PAGE,
      ({ number }, reply) =>
        reply.json({ items: page(number('page', 1)).items.map((thing) => ({ ...thing, name: long })) }),
      { environment: { PAGES_MIB: '2' } },
    );
    expect(await list.ask('Thing?$orderby=Id&$select=Id')).toEqual({
      status: 502,
      code: 'UpstreamIncomplete',
      message:
        'The list is too long to be read as a whole: 60 rows came, on 3 pages, and at most 2 MiB (PAGES_MIB) are read. Ask for a part of it, for example with $top.',
    });
  });
});

describe('pages whose numbers are known', () => {
  it('are asked for several at a time, and come in order', async () => {
    const waiting: (() => void)[] = [];
    const list = await servePaged({ ...BY_PAGE, answer: { total: integer } }, ({ number }, reply) => {
      const answer = () => reply.json({ ...page(number('page', 1)), total: 250 });
      if (number('page', 1) === 1) return answer();
      waiting.push(answer);
      // Twelve pages are left: four are asked for at a time, and answered from the last to the first.
      if (waiting.length === 4) for (const late of waiting.splice(0).toReversed()) late();
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect(list.queries()).toHaveLength(13);
  });

  it('are not asked for where one is short', async () => {
    const list = await servePaged(
      { parameters: { offset: integer, limit: { ...integer, maximum: 20 } }, answer: { total: integer } },
      ({ number }, reply) => {
        const offset = number('offset', 0);
        const short = offset === 40 ? 10 : 20;
        reply.json({ items: things(250).slice(offset, offset + short), total: 250 });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
  });
});

describe('a client that goes away between two pages', () => {
  it('has no more pages asked for', async () => {
    const client = new AbortController();
    const gone = Promise.withResolvers<void>();
    const list = await servePaged(BY_PAGE, ({ number, closed }, reply) => {
      if (number('page', 1) < 3) return reply.json(page(number('page', 1)));
      client.abort();
      void closed.then(gone.resolve);
    });
    onTestFinished(() => client.abort());
    const requested = fetch(`${list.gateway.url}/odata/Thing?$orderby=Id`, { signal: client.signal });
    await expect(requested).rejects.toThrow();
    await gone.promise;
    expect(list.queries()).toHaveLength(3);
  });
});
