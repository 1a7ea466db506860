import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from './stand-in-upstream.ts';

/** The whole gateway before a stand-in upstream, for all the tests of a file. */
export interface RunningGateway {
  readonly url: string;
  readonly upstream: StandInUpstream;
  fetch(path: string, init?: RequestInit): Promise<Answer>;
}

/** An answer as a client sees it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** When a gateway is started, and when it is stopped. */
interface Lifetime {
  readonly before: (start: () => Promise<void>) => void;
  readonly after: (stop: () => Promise<void>) => void;
}

const ALL_TESTS: Lifetime = { before: beforeAll, after: afterAll };

/** Each try of a test has a gateway of its own: what it counts begins anew. */
export const EACH_TRY: Lifetime = { before: beforeEach, after: afterEach };

/** Starts the gateway before the tests of the file, and stops it after them. */
export function useGateway(
  environment: Readonly<Record<string, string>> = {},
  { before, after } = ALL_TESTS,
): RunningGateway {
  let upstream: StandInUpstream;
  let gateway: Gateway;
  before(async () => {
    upstream = await startStandInUpstream();
    gateway = await startGateway({
      ...readConfig({
        AUTH: 'off',
        PORT: '0',
        LOG_LEVEL: 'silent',
        UPSTREAM_URL: upstream.url,
        ...environment,
      }),
    });
  });
  after(async () => {
    await gateway.close();
    await upstream.close();
  });
  return {
    get url() {
      return gateway.url;
    },
    get upstream() {
      return upstream;
    },
    async fetch(path, init) {
      const response = await fetch(`${gateway.url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

/** Posts as an upstream has them. Some leave out what is not required. */
export const POSTS = [
  { userId: 2, id: 1, title: 'Cedar', body: 'First' },
  { userId: 1, id: 2, title: 'amber', body: 'Second' },
  { userId: 2, id: 3, title: null, body: 'Third' },
  { id: 10, title: "O'Neil & Sons / 100%" },
];

/** Lists and reads {@link POSTS}; answers a POST as the real posts API does. */
export const postsApi: Behaviour = ({ method, target, body }, reply) => {
  const post = POSTS.find(({ id }) => target === `/posts/${id}`);
  if (method === 'POST' && target === '/posts') {
    reply.send(201, JSON.stringify({ ...JSON.parse(body.toString()), id: 101 }));
  } else if (target === '/posts') reply.json(POSTS);
  else if (post !== undefined) reply.json(post);
  else reply.send(404, '{}');
};
