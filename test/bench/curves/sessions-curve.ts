import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAdministration } from '../../../src/composition/auth-module.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { bearer, PASSWORD, signIn } from '../../auth/account-client.ts';
import { createPostgres } from '../../support/postgres.ts';
import type { MeteredServer } from '../metered-server.ts';
import { ACCOUNTS, fetchingOf, USER } from '../signed-in.ts';
import { withServers } from '../with-servers.ts';
import { atEach, type Curve } from './curve.ts';
import { openSessions, tokenOfSession } from './many-sessions.ts';
import { bestRoundsOf, graphql, type MeasuredRequest, subjectsAt, timesOf } from './measured-request.ts';

const CONNECTIONS = 16;
const PAGE_TURNS = { warmUp: 2, seconds: 0.1 };
const ADMINISTRATOR = 'root@example.com';
/** Users ask in an order in which none is near the one before. */
const STRIDE = 7_919;

type Database = 'SQLite' | 'PostgreSQL';

/** Each request is another user's. */
const inTurn = (sessions: number) => ({
  headersOf: (asked: number) => bearer(tokenOfSession(1 + ((asked * STRIDE) % sessions))),
});

const readsOn = (database: Database): readonly MeasuredRequest<Database | 'proxy'>[] => [
  {
    name: `by key, OData, ${database}`,
    server: database,
    load: (sessions) => ({ path: "/odata/Post('7')", ...inTurn(sessions) }),
  },
  {
    name: `by key, GraphQL, ${database}`,
    server: database,
    load: (sessions) => ({ ...graphql('{ post(id: "7") { userId id title body } }'), ...inTurn(sessions) }),
  },
];

const pageOn = (database: Database): MeasuredRequest<Database> => ({
  name: `page of users, ${database}`,
  server: database,
  load: () => ({ path: '/api/auth/users' }),
});

const READS: readonly MeasuredRequest<Database | 'proxy'>[] = [
  ...readsOn('SQLite'),
  ...readsOn('PostgreSQL'),
  { name: 'by key, plain proxy', isReference: true, server: 'proxy', load: () => ({ path: '/posts/7' }) },
];
const PAGES: readonly MeasuredRequest<Database>[] = [pageOn('SQLite'), pageOn('PostgreSQL')];

/** So many users who are signed in and ask one after the other, and the administrator's list of them. */
export const SESSIONS_CURVE: Curve = {
  name: 'sessions',
  x: 'users who are signed in',
  points: [1, 100, 10_000, 1_000_000],
  charts: [
    {
      name: 'sessions',
      title: 'Answers a second to users who are signed in',
      y: 'answers a second',
      series: READS,
    },
    { name: 'users', title: 'A page of the list of users', y: 'ms for an answer', series: PAGES },
  ],
  async measure(points) {
    const folder = mkdtempSync(join(tmpdir(), 'duogate-sessions-'));
    const postgres = await createPostgres();
    try {
      await postgres.start();
      return await measureOn(join(folder, 'accounts.sqlite'), postgres.url, points);
    } finally {
      await postgres.remove();
      rmSync(folder, { recursive: true });
    }
  },
};

function measureOn(file: string, postgresUrl: string, points: readonly number[]) {
  const on = (url: string) => ({ ...ACCOUNTS, DATABASE_URL: url });
  return withServers({ others: ['proxy'], environment: on(file) }, (beside) =>
    withServers({ others: [], environment: on(postgresUrl) }, async ({ gateway }) => {
      const servers = { SQLite: beside.gateway, PostgreSQL: gateway, proxy: beside.proxy };
      const configs = [file, postgresUrl].map((url) => readConfig(on(url)));
      for (const config of configs) await addAdministrator(config);
      const administered = {
        SQLite: await administeredOf(servers.SQLite),
        PostgreSQL: await administeredOf(servers.PostgreSQL),
      };
      const databases = await Promise.all(configs.map(({ database }) => openSessions(database, USER)));
      try {
        return await atEach(points, async (sessions) => {
          for (const database of databases) await database.fill(sessions);
          const rounds = await bestRoundsOf(subjectsAt(sessions, READS, servers), CONNECTIONS);
          const pages = await timesOf(subjectsAt(sessions, PAGES, administered), PAGE_TURNS);
          return [...rounds.map(({ perSecond }) => perSecond), ...pages];
        });
      } finally {
        await Promise.all(databases.map((database) => database.close()));
      }
    }),
  );
}

async function addAdministrator(config: Config): Promise<void> {
  const administration = await openAdministration(config);
  await administration.addUser({
    email: ADMINISTRATOR,
    name: 'Ada',
    roles: ['Admin', 'User'],
    password: PASSWORD,
  });
  await administration.close();
}

/** The gateway as an administrator sees it. */
async function administeredOf(gateway: MeteredServer): Promise<MeteredServer> {
  const { session } = await signIn(fetchingOf(gateway), ADMINISTRATOR);
  return { ...gateway, headers: bearer(session) };
}
