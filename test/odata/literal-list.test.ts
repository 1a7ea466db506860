import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

describe('the posts service, whose list is called as it is', () => {
  const gateway = useGateway();
  let before = 0;
  beforeEach(() => {
    gateway.upstream.behave(postsApi);
    before = gateway.upstream.requests.length;
  });
  const calls = () =>
    gateway.upstream.requests.slice(before).map(({ method, target }) => `${method} ${target}`);

  it.each([
    "Post?$filter=Id eq '1'",
    "Post?$filter=Id eq '1'&$top=1",
    "Post?$filter=Id in ('1','2')",
    'Post?$top=1',
    'Post?$filter=UserId eq 2&$top=1',
    'Post?$skip=1&$top=1',
    'Post/$count',
    "Post/$count?$filter=Id eq '1'",
    'Post?$orderby=Id&$top=1',
    "Post?$apply=filter(Id eq '1')/aggregate($count as N)",
    '$all',
  ])('reads the whole list once: %s', async (query) => {
    const { status } = await gateway.fetch(`/odata/${query.replaceAll(' ', '%20')}`);
    expect([status, calls()]).toStrictEqual([200, ['GET /posts']]);
  });

  it('reads the whole list once for requests of a batch', async () => {
    const requests = ["Post?$filter=Id eq '1'", 'Post?$top=1', 'Post/$count'].map((url, index) => ({
      id: String(index),
      method: 'GET',
      url,
    }));
    const { status } = await gateway.fetch('/odata/$batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests }),
    });
    expect(status).toBe(200);
    expect(new Set(calls())).toStrictEqual(new Set(['GET /posts']));
  });

  it.each([
    '{ posts(where: {id: {eq: "1"}}) { title } }',
    '{ posts(take: 1) { id } }',
    '{ postsConnection(first: 1) { totalCount nodes { id } } }',
  ])('reads the whole list once for GraphQL: %s', async (query) => {
    const { status, text } = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect([status, text]).not.toContain('errors');
    expect(new Set(calls())).toStrictEqual(new Set(['GET /posts']));
  });
});
