import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

describe('a list that is longer than what is made at once', () => {
  // What has been read before would be recognised, and kept.
  const long = (options: string) =>
    Array.from({ length: 40 }, (_, index) => ({ id: index + 1, title: options + 'x'.repeat(10_000) }));

  it.each([
    ['$skip=38', ['39', '40']],
    ['$skip=2&$top=2', ['3', '4']],
    ['$skip=1&$top=2&$orderby=Id desc', ['8', '7']],
    ['$apply=skip(2)/top(2)', ['3', '4']],
    ['$filter=true&$skip=2&$top=2', ['3', '4']],
    ['$skip=40', []],
  ])('%s (Part 1, 11.2.6.4)', async (options, keys) => {
    gateway.upstream.behave((_, reply) => reply.json(long(options)));
    const { text } = await gateway.fetch(`/odata/Post?$select=Id&${options}`);
    expect(JSON.parse(text).value.map(({ Id }: { readonly Id: string }) => Id)).toEqual(keys);
  });
});
