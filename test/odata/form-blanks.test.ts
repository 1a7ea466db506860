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
    ["Python's requests", '%24filter=contains%28Body%2C%27The+first%27%29&%24select=Id'],
    ["Go's url.Values", '%24filter=contains%28Body%2C%27The+first%27%29'],
    ['curl --data-urlencode', '$filter=contains%28Body%2C%27The+first%27%29&$select=Id,Title'],
    ['a form with a search', '%24search=%22The+first%22'],
    ['curl --data-urlencode with a search', '$search=%22the+first%22'],
    ['a search by hand', '$search="The+first"'],
    ['an alias', '%24filter=contains%28Body%2C%40t%29&%40t=%27The+first%27'],
  ])('is one in literals where nothing else needs a blank: %s', async (_, query) => {
    gateway.upstream.behave((_request, reply) =>
      reply.json([
        { userId: 1, id: 1, title: 'a', body: 'The first one' },
        { userId: 1, id: 2, title: 'b', body: 'The+first one' },
      ]),
    );
    const { text } = await gateway.fetch(`/odata/Post?${query}`);
    expect(JSON.parse(text).value.map(({ Id }: { Id: string }) => Id)).toStrictEqual(['1']);
  });

  it.each([
    ['a URL by hand', "$filter=contains(Body,'The+first')"],
    ['the URL parser of browsers', '$filter=contains(Body,%27The+first%27)'],
    ['a URL with a blank', "$filter=contains(Body,%20'The+first')"],
    ['a form', '%24filter=contains%28Body%2C%27The%2Bfirst%27%29'],
    ['a form that encodes blanks', '%24filter=contains%28Body%2C%20%27The+first%27%29'],
    ['a phrase with more than words', '$search="The++"'],
  ])('is a plus elsewhere: %s', async (_, query) => {
    gateway.upstream.behave((_request, reply) =>
      reply.json([
        { userId: 1, id: 1, title: 'a', body: 'The first one' },
        { userId: 1, id: 2, title: 'b', body: 'The+first one, The++' },
      ]),
    );
    const { text } = await gateway.fetch(`/odata/Post?${query}`);
    expect(JSON.parse(text).value.map(({ Id }: { Id: string }) => Id)).toStrictEqual(['2']);
  });

  it('is no blank in the offset of a time', async () => {
    const time = '$compute=year%282020-01-01T00:00:00+01:00%29%20as%20R';
    expect(await answerOf(time)).toBe(2020);
    expect(await answerOf(time.replaceAll('%20', '+'))).toBe(2020);
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
