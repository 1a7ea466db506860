import { describe, expect, it } from 'vitest';
import { POSTS, postsApi, useGateway } from '../support/running-gateway.ts';

/** Each request is within all limits but the one that its variable sets. */
const CASES: readonly (readonly [variable: string, value: string, path: string, status: number])[] = [
  ['URL_LENGTH', '300', `/odata/Post?$filter=Title eq '${'x'.repeat(300)}'`, 414],
  ['QUERY_NODES', '5', '/odata/Post?$filter=UserId add 1 add 1 add 1 add 1 gt 0', 400],
  ['QUERY_LITERALS', '3', '/odata/Post?$filter=UserId in (1,2,3,4)', 400],
  ['QUERY_DEPTH', '4', '/odata/Post?$filter=((((((UserId eq 1))))))', 400],
  ['QUERY_ORDERBY_ITEMS', '1', '/odata/Post?$orderby=UserId,Id', 400],
];

const LIMITS = Object.fromEntries(CASES.map(([variable, value]) => [variable, value]));

describe('limits of requests', () => {
  const limited = useGateway(LIMITS);
  const free = useGateway();

  it.each(CASES)('%s=%s bounds what is asked', async (_variable, _value, path, status) => {
    for (const { upstream } of [limited, free]) upstream.behave(postsApi);
    const asked = path.replaceAll(' ', '%20');
    expect([(await limited.fetch(asked)).status, (await free.fetch(asked)).status]).toStrictEqual([
      status,
      200,
    ]);
    expect(limited.upstream.requests).toHaveLength(0);
  });
});

describe('limits of the upstream', () => {
  const impatient = useGateway({ UPSTREAM_TIMEOUT_MS: '50' });
  const narrow = useGateway({ UPSTREAM_BODY_MIB: '1' });
  const closed = useGateway({ METRICS: 'off' });
  const open = useGateway();

  it('UPSTREAM_TIMEOUT_MS bounds how long it may take', async () => {
    impatient.upstream.behave(() => undefined);
    expect((await impatient.fetch('/odata/Post')).status).toBe(504);
  });

  it('UPSTREAM_BODY_MIB bounds what it may answer', async () => {
    const large = [{ ...POSTS[0], body: 'x'.repeat(1_100_000) }];
    for (const { upstream } of [narrow, open]) upstream.behave((_, reply) => reply.json(large));
    expect([
      (await narrow.fetch('/odata/Post')).status,
      (await open.fetch('/odata/Post')).status,
    ]).toStrictEqual([502, 200]);
  });

  it('METRICS says who may read the metrics', async () => {
    expect([(await closed.fetch('/metrics')).status, (await open.fetch('/metrics')).status]).toStrictEqual([
      404, 200,
    ]);
  });
});
