import { existsSync } from 'node:fs';
import { type Load, measureAll } from './measure.ts';
import type { MeteredServer } from './metered-server.ts';
import { withServers } from './with-servers.ts';

const CONNECTIONS = 16;
const KEYS = 10_000;
const CAP = '../peers/cap';
const HIVE = '../peers/hive';

interface Peer {
  readonly name: string;
  readonly server: 'gateway' | 'proxy' | 'bare' | typeof CAP | typeof HIVE;
  readonly list: string;
  /** With `{key}` where the key stands. */
  readonly byKey: string;
}

const FIELDS = 'userId id title body';
const UPSTREAM_PATHS = { list: '/posts', byKey: '/posts/{key}' };
const PEERS: readonly Peer[] = [
  { name: 'plain proxy', server: 'proxy', ...UPSTREAM_PATHS },
  { name: 'Express and undici', server: 'bare', ...UPSTREAM_PATHS },
  { name: 'Duogate, OData', server: 'gateway', list: '/odata/Post', byKey: "/odata/Post('{key}')" },
  { name: 'SAP CAP, OData', server: CAP, list: '/odata/Post', byKey: '/odata/Post({key})' },
  { name: 'Duogate, GraphQL', server: 'gateway', ...graphqlPaths('ID', FIELDS) },
  { name: 'Hive Gateway, GraphQL', server: HIVE, ...graphqlPaths('String', `... on Post { ${FIELDS} }`) },
];

/** Prints requests a second of each, for a list that changes at every read and by ten thousand different keys. */
export async function measurePeers(): Promise<void> {
  if (!existsSync(new URL('./peers/node_modules', import.meta.url))) {
    throw new Error('The peers are not installed: npm ci --prefix test/bench/peers');
  }
  await withServers({ others: ['proxy', 'bare', CAP, HIVE] }, async (servers) => {
    await servers.upstream.tell({ rows: 100, changing: true, etag: false });
    for (const { server, list, byKey } of PEERS) {
      for (const path of [list, byKey]) await expectPost(servers[server], path);
    }
    const loads: readonly (readonly [string, (peer: Peer) => Load])[] = [
      ['list of 100, changed', ({ list }) => ({ path: list })],
      ['by key, 10,000 different ones', ({ byKey }) => ({ path: byKey, keys: KEYS })],
    ];
    for (const [work, loadOf] of loads) {
      const subjects = PEERS.map((peer) => ({ server: servers[peer.server], load: loadOf(peer) }));
      const measured = await measureAll(subjects, CONNECTIONS);
      console.log(work);
      console.table(
        PEERS.map(({ name }, index) => ({
          name,
          'requests a second': Math.round(measured[index]?.perSecond ?? 0),
          'µs of processor time': Math.round(measured[index]?.cpuPerRequest ?? 0),
        })),
      );
    }
  });
}

/** One document for all keys, so that it is parsed once. */
function graphqlPaths(keyType: string, fields: string): Pick<Peer, 'list' | 'byKey'> {
  const path = (query: string) => `/graphql?query=${encodeURIComponent(query)}`;
  const byKey = path(`query ($id: ${keyType}!) { post(id: $id) { ${fields} } }`);
  return { list: path(`{ posts { ${fields} } }`), byKey: `${byKey}&variables=%7B%22id%22:%22{key}%22%7D` };
}

/** A mistake in GraphQL is answered with 200, too. */
async function expectPost({ url, headers }: MeteredServer, path: string): Promise<void> {
  const response = await fetch(`${url}${path.replace('{key}', '7')}`, { headers: { ...headers } });
  const text = await response.text();
  if (!text.includes('juniper cedar 7'))
    throw new Error(`${path}: expected posts, found ${text.slice(0, 200)}`);
}
