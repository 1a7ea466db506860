import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

/** The value of R in the first post that the query finds, or the message of what is wrong. */
async function answerOf(
  query: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
) {
  const path = init.body === undefined ? `/odata/Post?${query}` : `/odata/Post/$query?${query}`;
  const { text } = await gateway.fetch(path, init);
  const { error, value } = JSON.parse(text);
  return error === undefined ? (value[0]?.R ?? null) : error.message;
}

const OPTIONS = { $filter: "UserId ge 1 and Id ne 'x y'", $compute: "'a b+c' as R", $orderby: 'Id desc' };

describe('a blank that is written as + (U 2.1)', () => {
  it.each([
    ['URLSearchParams', new URLSearchParams(OPTIONS).toString()],
    [
      "Python's requests",
      '%24filter=UserId+ge+1+and+Id+ne+%27x+y%27&%24compute=%27a+b%2Bc%27+as+R&%24orderby=Id+desc',
    ],
    [
      "Go's url.Values",
      '%24compute=%27a+b%2Bc%27+as+R&%24filter=UserId+ge+1+and+Id+ne+%27x+y%27&%24orderby=Id+desc',
    ],
    [
      'curl --data-urlencode',
      '$filter=UserId+ge+1+and+Id+ne+%27x+y%27&$compute=%27a+b%2Bc%27+as+R&$orderby=Id+desc',
    ],
  ])('is taken from %s', async (_client, query) => {
    expect(await answerOf(query)).toBe('a b+c');
  });

  it.each([
    ["$compute='a+b'%20as%20R", 'a+b'],
    ["$compute='a+b'%20as%20R&$orderby=Id+desc", 'a b'],
    ["$compute='a+b'%20as%20R&$filter=not+(UserId%20eq%2099)", 'a b'],
    ["$compute='a+b'%20as%20R&$filter=contains(Title,+'a')", 'a b'],
    ["$compute='a+b'%20as%20R&$filter=UserId%20lt%20+99", 'a+b'],
    ["$compute='a+b'%20as%20R&$filter=now()%20gt%202000-01-01T00:00:00+01:00", 'a+b'],
    ["$compute='a%2Bb'%20as%20R&$orderby=Id+desc", 'a+b'],
    ["$compute='a+b'%20as%20R&$search=cedar+OR+amber", 'a b'],
    ['$compute=\'a+b\'%20as%20R&$search=NOT%20"x+y"', 'a+b'],
    ["$compute='a+b'%20as%20R&$search=NOT%20c%2B%2B", 'a+b'],
  ])('is one where white space may be, and all are then: %s', async (query, value) => {
    expect(await answerOf(query)).toBe(value);
  });

  it.each([
    ['$filter=Title+eqq+1', '$filter: expected an operator or the end at position 6, found eqq 1'],
    [
      "$filter=Title%20eq%20'x'+y",
      '$filter: expected an operator or the end at position 12, found +y (write a space as %20)',
    ],
  ])('is told in the way the client writes: %s', async (query, message) => {
    expect(await answerOf(query)).toBe(message);
  });

  it.each([
    ['application/x-www-form-urlencoded', new URLSearchParams(OPTIONS).toString(), 'a b+c'],
    ['application/x-www-form-urlencoded;charset=UTF-8', "$compute='a+b'%20as%20R", 'a b'],
    ['text/plain', "$compute='a+b' as R", 'a+b'],
    ['text/plain', "$compute='a+b'+as+R", 'a b'],
  ])('is taken from a body of %s (P 11.2.1.1): %s', async (type, body, value) => {
    const headers = { 'content-type': type };
    expect(await answerOf('', { method: 'POST', body, headers })).toBe(value);
  });

  it('stays one in next links', async () => {
    const { text } = await gateway.fetch("/odata/Post?$filter=Id+ne+'x+y'", {
      headers: { prefer: 'maxpagesize=1' },
    });
    expect(JSON.parse(text)['@odata.nextLink']).toContain('?$filter=Id%20ne%20%27x%20y%27&');
  });
});
