import { beforeAll, describe, expect, it } from 'vitest';
import { NOBODY } from '../support/role-keys.ts';
import { INTROSPECTION } from './graphql-requests.ts';
import {
  ANONYMOUS,
  type GuardedAnswer,
  type GuardedGateway,
  type GuardedRequest,
  startGuardedGateway,
} from './guarded-gateway.ts';

const CALLERS = ['Admin', 'OwnerViewer', 'SecretViewer', NOBODY, ANONYMOUS];

const get = (path: string, headers: Readonly<Record<string, string>> = {}): GuardedRequest => ({
  method: 'GET',
  path,
  headers,
});

/** Addresses whose answers the gateway keeps in whole or in part, or prepares once. */
const PATHS = [
  '/',
  '/odata',
  '/odata/$metadata',
  '/odata/$metadata?$format=json',
  '/odata/Owner',
  '/odata/Owner?$select=Id',
  '/odata/Owner?$select=Id,Title',
  '/odata/Owner?$select=Title&$orderby=Title',
  '/odata/Owner?$select=Title&$orderby=Title%20desc',
  "/odata/Owner?$filter=Title%20eq%20'x+y'&$count=true",
  "/odata/Owner?$filter=Title%20eq%20'x%2By'&$count=true",
  '/odata/Owner?$top=1&$count=true',
  '/odata/Owner/$count',
  "/odata/Owner('o1')",
  "/odata/Owner('o1')/Title",
  "/odata/Owner('o1')/Title/$value",
  '/odata/Secret',
  "/odata/Secret('s1')",
  '/odata/Secret/$count',
  '/odata/Rival?$select=RivalName',
  '/odata/Owner?$expand=*',
  '/odata/Get_text()',
  '/odata/nothing',
];

/** Each differs from the first in one part of what an answer can depend on. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'application/json' },
  { accept: 'application/xml' },
  { accept: 'text/html' },
  { accept: 'text/csv' },
  { accept: 'application/json;odata.metadata=full' },
  { accept: 'application/json;odata.metadata=none' },
  { accept: 'application/json;IEEE754Compatible=true' },
  { accept: 'application/json', 'odata-maxversion': '4.0' },
  { accept: 'application/json', 'odata-maxversion': '4.01' },
  { accept: 'application/json', 'accept-language': 'de' },
  { accept: 'application/json', prefer: 'odata.maxpagesize=1' },
  { accept: 'application/json', prefer: 'omit-values=nulls' },
  { accept: 'application/json', host: 'other.example' },
  { accept: 'application/json', 'x-forwarded-host': 'other.example', 'x-forwarded-proto': 'https' },
  { accept: 'application/json', 'x-forwarded-prefix': '/elsewhere' },
];

const graphql = (query: string, variables?: object): GuardedRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { accept: 'application/json' },
  body: JSON.stringify({ query, variables }),
});

const requests = (): readonly GuardedRequest[] => [
  ...PATHS.flatMap((path) => HEADERS.map((headers) => get(path, headers))),
  INTROSPECTION,
  graphql('{ owners { id } }'),
  graphql('{ owners { id title } }'),
  graphql('{ secrets { id } }'),
  graphql('query ($title: String) { owners(where: { title: { eq: $title } }) { id } }', { title: 'x' }),
  graphql('query ($title: String) { owners(where: { title: { eq: $title } }) { id } }', {
    title: 'secret-of-Owner-old-title',
  }),
  get(`/graphql?query=${encodeURIComponent('{ owners { id } }')}`, { accept: 'application/json' }),
  get(`/graphql?query=${encodeURIComponent('{ owners { id } }')}`, {
    accept: 'application/graphql-response+json',
  }),
];

type Answers = ReadonlyMap<string, GuardedAnswer>;

/** The answers to all callers in an order, without the port of the gateway and the times that calls took. */
async function answers(
  gateway: GuardedGateway,
  order: <T>(all: readonly T[]) => readonly T[],
): Promise<Answers> {
  const found = new Map<string, GuardedAnswer>();
  for (const request of order(requests())) {
    for (const caller of order(CALLERS)) {
      const { text, ...answer } = await gateway.ask(caller, request);
      const known = text.replaceAll(/127\.0\.0\.1:\d+/g, 'gateway').replaceAll(/;dur=[\d.]+/g, '');
      found.set(`${caller} ${JSON.stringify(request)}`, { ...answer, text: known });
    }
  }
  return found;
}

const different = (one: Answers, other: Answers): readonly string[] =>
  [...one].flatMap(([key, answer]) =>
    answer.text === other.get(key)?.text && answer.status === other.get(key)?.status ? [] : [key],
  );

describe('an answer', () => {
  let gateway: GuardedGateway;
  let first: Answers;
  beforeAll(async () => {
    gateway = await startGuardedGateway();
    first = await answers(gateway, (all) => all);
  });

  it('is the same whoever asked for something like it before', async () => {
    const reverse = await answers(await startGuardedGateway(), (all) => all.toReversed());
    expect(different(first, reverse)).toEqual([]);
  });

  it('is the same when it is asked for again, and is asked of the API again where that has the data', async () => {
    const again = await answers(gateway, (all) => all);
    expect(different(first, again)).toEqual([]);
    const calls = (all: Answers) => [...all].map(([key, answer]) => [key, answer.calls]);
    expect(calls(again)).toEqual(calls(first));
  });

  it('differs between callers and between the parts of a request', () => {
    const texts = (wanted: (key: string) => boolean) =>
      new Set([...first].filter(([key]) => wanted(key)).map(([, { text }]) => text)).size;
    expect(texts((key) => key.includes('"/odata","headers":{"accept":"application/json"}'))).toBeGreaterThan(
      3,
    );
    expect(
      texts((key) => key.startsWith('Admin') && key.includes('"/odata/Owner","headers"')),
    ).toBeGreaterThan(5);
  });
});
