import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, type Environment, localUrl, readConfig } from '../../src/config/config.ts';
import { Secret } from '../../src/core/secret.ts';
import { MISTAKEN } from './config.cases.ts';

const ROOT = join(import.meta.dirname, '../..');
const SECRET = 'a-secret-of-at-least-32-characters';

const DEFAULTS: Config = {
  host: '127.0.0.1',
  port: 4000,
  healthPort: undefined,
  baseUrl: undefined,
  upstreamUrl: undefined,
  auth: { mode: 'required', secret: SECRET, signUp: 'open', passwords: true },
  auditDays: 90,
  database: { kind: 'sqlite', path: 'data/duogate.sqlite' },
  issuers: [],
  mail: undefined,
  apiKeyParameter: 'api_key',
  corsOrigins: [],
  trustedProxies: [],
  readOnly: false,
  registryHosts: [],
  editedFiles: 'confirm',
  vocabularies: 'served',
  graphqlIds: 'upstream',
  graphqlNumbers: 'mixed',
  federation: false,
  graphqlDocuments: { automatic: true, allowed: undefined },
  meshConfig: join(ROOT, '.meshrc.yaml'),
  meshEnvironment: {
    UPSTREAM_URL: undefined,
    APPLICATION_NAME: 'posts-app',
    GATEWAY_API_NAME: 'posts-api',
  },
  logLevel: 'info',
  metricsReaders: { port: ['127.0.0.0/8', '::1'], healthPort: ['127.0.0.0/8', '::1'] },
  upstreamConnections: { idleMs: 4_000, ageMs: 300_000, http2: false, proxy: undefined },
  limits: {
    upstreamTimeoutMs: 15_000,
    upstreamConnections: 64,
    upstreamStreams: 32,
    userStreams: 8,
    upstreamQueue: 8192,
    upstreamQueueMs: 5000,
    upstreamSharedReads: true,
    pushDown: 'derived',
    upstreamBodyBytes: 67_108_864,
    pages: {
      rows: 1_000_000,
      bytes: 268_435_456,
      time: 60_000,
      exportRows: 10_000_000,
      exportsAtOnce: 2,
    },
    memoryBytes: 67_108_864,
    keptBytes: 67_108_864,
    requestBodyBytes: 1_048_576,
    uploadBytes: 1_073_741_824,
    shutdownLeaveMs: 5_000,
    examinationMs: 30_000,
    databaseWaitMs: 60_000,
    shutdownGraceMs: 20_000,
    bodiesBytes: 67_108_864,
    answersBytes: expect.any(Number),
    answersWaitMs: 5000,
    answerRate: 16_384,
    answerTimeoutMs: 600_000,
    uploadRate: 16_384,
    connections: 10_000,
    connectionRequests: 100_000,
    requestsAtOnce: 8192,
    userRequestsAtOnce: 4096,
    requests: {
      url: {
        length: 8192,
        nodes: 100,
        literals: 5000,
        depth: 30,
        expandDepth: 4,
        lambdaDepth: 3,
        orderByItems: 5,
      },
      budget: {
        rows: 500_000,
        items: 20_000_000,
        rowItems: 500_000,
        textLength: 1_000_000,
        characters: 100_000_000,
        matchSteps: 1_000_000,
        milliseconds: 10_000,
        answerBytes: 134_217_728,
      },
      batch: { requests: 1000 },
      graphql: {
        depth: 12,
        aliases: 15,
        tokens: 1000,
        directives: 50,
        bodyBytes: 102_400,
      },
    },
  },
};

function mistakesIn(environment: Environment): readonly string[] {
  try {
    readConfig(environment, ROOT);
    return [];
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const mistakes = error.errors.map((mistake: Error) => mistake.message);
    expect(error.message).toBe(['The configuration cannot be used:', ...mistakes].join('\n  - '));
    return mistakes;
  }
}

describe('readConfig', () => {
  it('fills in the defaults', () => {
    expect(readConfig({ AUTH_SECRET: SECRET }, ROOT)).toStrictEqual(DEFAULTS);
  });

  it('takes an empty variable for a missing one', () => {
    const empty = { PORT: '', HOST: '', BASE_URL: '', UPSTREAM_URL: '', AUTH: '', LOG_LEVEL: '' };
    const { PORT, HOST, BASE_URL, AUTH, LOG_LEVEL } = empty;
    expect(readConfig({ ...empty, AUTH_SECRET: SECRET }, ROOT)).toStrictEqual({
      ...DEFAULTS,
      meshEnvironment: { PORT, HOST, BASE_URL, AUTH, LOG_LEVEL, ...DEFAULTS.meshEnvironment },
    });
  });

  it('reads every variable', () => {
    const environment = {
      PORT: '8443',
      HEALTH_PORT: '8444',
      HOST: '0.0.0.0',
      BASE_URL: 'https://gateway.example/data//',
      UPSTREAM_URL: 'https://api.example/v1/',
      AUTH: 'required',
      DATABASE_URL: 'postgres://user:pw@db/duogate',
      AUTH_SECRET: SECRET,
      MESH_CONFIG: 'package.json',
      APPLICATION_NAME: 'Café app',
      GATEWAY_API_NAME: 'gw',
      LOG_LEVEL: 'silent',
      UPSTREAM_TIMEOUT_MS: '1',
      UPSTREAM_CONNECTIONS: '2',
      UPSTREAM_STREAMS: '34',
      USER_STREAMS_AT_ONCE: '35',
      UPSTREAM_SHARED_READS: 'off',
      PUSH_DOWN: 'declared',
      UPSTREAM_IDLE_MS: '33',
      UPSTREAM_CONNECTION_MS: '3400',
      UPSTREAM_HTTP2: 'on',
      HTTP_PROXY: 'http://proxy.example:8080',
      https_proxy: 'http://user:password@proxy.example:8080',
      NO_PROXY: '.example.org',
      UPSTREAM_BODY_MIB: '3',
      PAGES_ROWS: '6',
      PAGES_MIB: '7',
      PAGES_TIMEOUT_MS: '8',
      EXPORT_ROWS: '9',
      EXPORTS_AT_ONCE: '3',
      MEMORY_MIB: '0',
      KEPT_MIB: '0',
      REQUEST_BODY_KIB: '4',
      SHUTDOWN_GRACE_MS: '0',
      CRM_URL: 'https://crm.example',
      OIDC_ISSUERS: 'https://login.example/a, http://localhost:8080',
      OIDC_AUDIENCE: 'gateway,odata',
      OIDC_ROLE_CLAIM: 'realm_access.roles',
      OIDC_ROLES: 'editor=User,chief=Admin',
      OIDC_CLIENT_IDS: '-,duogate',
      OIDC_CLIENT_SECRET_FILES: '-, test/config/client-secret.txt',
      OIDC_NAMES: '-, Example & Co',
      OIDC_TRUSTED_EMAIL: 'http://localhost:8080',
      PASSWORD_SIGN_IN: 'off',
      SMTP_URL: 'smtps://duogate:s%40crt@mail.example.com:2465',
      MAIL_FROM: 'Duogate <duogate@example.com>',
      API_KEY_PARAMETER: 'subscription-key',
      TRUSTED_PROXIES: '10.0.0.0/8,::1',
      CORS_ORIGINS: 'https://ui.example.com, http://localhost:8080',
      METRICS: '10.1.0.0/16, ::1',
      UPLOAD_MIB: '5',
      VOCABULARIES: 'referenced',
      GRAPHQL_PERSISTED_QUERIES: 'off',
      GRAPHQL_DOCUMENTS: 'test/config/documents.json',
      REGISTRY_HOSTS: '2130706433, API.example.com, *.Example.org, [0:0::1]',
      READ_ONLY: 'on',
      EDITED_FILES: 'serve',
      URL_LENGTH: '256',
      QUERY_NODES: '5',
      QUERY_DEPTH: '6',
      QUERY_EXPAND_DEPTH: '0',
      QUERY_LAMBDA_DEPTH: '7',
      QUERY_ORDERBY_ITEMS: '8',
      QUERY_LITERALS: '4',
      QUERY_ROWS: '9',
      QUERY_ITEMS: '10',
      QUERY_ROW_ITEMS: '11',
      QUERY_TEXT_LENGTH: '12',
      QUERY_TEXT_CHARACTERS: '13',
      QUERY_MATCH_STEPS: '14',
      QUERY_MS: '15',
      ANSWER_MIB: '16',
      BATCH_REQUESTS: '17',
      SIGN_UP: 'approve',
      AUDIT_DAYS: '35',
      GRAPHQL_DEPTH: '18',
      GRAPHQL_ALIASES: '19',
      GRAPHQL_TOKENS: '20',
      GRAPHQL_DIRECTIVES: '21',
      GRAPHQL_BODY_KIB: '23',
      BODIES_MIB: '2',
      MAX_CONNECTIONS: '3',
      ANSWERS_MIB: '29',
      ANSWERS_WAIT_MS: '30',
      ANSWER_RATE_KIB: '31',
      ANSWER_TIMEOUT_MS: '3200',
      UPLOAD_RATE_KIB: '36',
      CONNECTION_REQUESTS: '24',
      REQUESTS_AT_ONCE: '25',
      USER_REQUESTS_AT_ONCE: '26',
      UPSTREAM_QUEUE: '27',
      UPSTREAM_QUEUE_MS: '28',
    };
    const { DATABASE_URL, AUTH_SECRET, SMTP_URL, HTTP_PROXY, https_proxy, ...shared } = environment;
    expect(readConfig(environment, ROOT)).toStrictEqual({
      host: '0.0.0.0',
      port: 8443,
      healthPort: 8444,
      baseUrl: 'https://gateway.example/data',
      upstreamUrl: 'https://api.example/v1',
      auth: { mode: 'required', secret: AUTH_SECRET, signUp: 'approve', passwords: false },
      auditDays: 35,
      database: { kind: 'postgres', url: DATABASE_URL },
      issuers: ['https://login.example/a', 'http://localhost:8080'].map((issuer) => ({
        issuer,
        audiences: ['gateway', 'odata'],
        roleClaim: 'realm_access.roles',
        roles: new Map([
          ['editor', 'User'],
          ['chief', 'Admin'],
        ]),
        client: issuer.startsWith('https:')
          ? undefined
          : {
              id: 'duogate',
              secret: expect.any(Secret),
              name: 'Example & Co',
              path: 'localhost-8080',
              isEmailTrusted: true,
            },
      })),
      mail: {
        url: new Secret(SMTP_URL),
        from: 'Duogate <duogate@example.com>',
      },
      apiKeyParameter: 'subscription-key',
      corsOrigins: ['https://ui.example.com', 'http://localhost:8080'],
      trustedProxies: ['10.0.0.0/8', '::1'],
      readOnly: true,
      registryHosts: ['127.0.0.1', 'api.example.com', '*.example.org', '::1'],
      editedFiles: 'serve',
      vocabularies: 'referenced',
      graphqlIds: 'upstream',
      graphqlNumbers: 'mixed',
      federation: false,
      graphqlDocuments: { automatic: false, allowed: new Map([['a', '{ posts { id } }']]) },
      meshConfig: join(ROOT, 'package.json'),
      meshEnvironment: { ...shared, UPSTREAM_URL: 'https://api.example/v1' },
      logLevel: 'silent',
      metricsReaders: { port: ['10.1.0.0/16', '::1'], healthPort: ['10.1.0.0/16', '::1'] },
      upstreamConnections: {
        idleMs: 33,
        ageMs: 3400,
        http2: true,
        proxy: {
          http: 'http://proxy.example:8080',
          https: 'http://user:password@proxy.example:8080',
          none: '.example.org',
        },
      },
      limits: {
        upstreamTimeoutMs: 1,
        upstreamConnections: 2,
        upstreamStreams: 34,
        userStreams: 35,
        upstreamQueue: 27,
        upstreamQueueMs: 28,
        upstreamSharedReads: false,
        pushDown: 'declared',
        upstreamBodyBytes: 3_145_728,
        pages: { rows: 6, bytes: 7_340_032, time: 8, exportRows: 9, exportsAtOnce: 3 },
        memoryBytes: 0,
        keptBytes: 0,
        requestBodyBytes: 4096,
        uploadBytes: 5_242_880,
        shutdownLeaveMs: 5_000,
        examinationMs: 30_000,
        databaseWaitMs: 60_000,
        shutdownGraceMs: 0,
        bodiesBytes: 2_097_152,
        answersBytes: 30_408_704,
        answersWaitMs: 30,
        answerRate: 31_744,
        answerTimeoutMs: 3200,
        uploadRate: 36_864,
        connections: 3,
        connectionRequests: 24,
        requestsAtOnce: 25,
        userRequestsAtOnce: 26,
        requests: {
          url: {
            length: 256,
            nodes: 5,
            literals: 4,
            depth: 6,
            expandDepth: 0,
            lambdaDepth: 7,
            orderByItems: 8,
          },
          budget: {
            rows: 9,
            items: 10,
            rowItems: 11,
            textLength: 12,
            characters: 13,
            matchSteps: 14,
            milliseconds: 15,
            answerBytes: 16_777_216,
          },
          batch: { requests: 17 },
          graphql: {
            depth: 18,
            aliases: 19,
            tokens: 20,
            directives: 21,
            bodyBytes: 23_552,
          },
        },
      },
    } satisfies Config);
  });

  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1'])(
    'allows AUTH=off on %s',
    (HOST) => {
      expect(readConfig({ AUTH: 'off', HOST }, ROOT).auth).toStrictEqual({ mode: 'off' });
    },
  );

  it.each([
    ['postgresql://db/x', { kind: 'postgres', url: 'postgresql://db/x' }],
    ['/var/lib/duogate.db', { kind: 'sqlite', path: '/var/lib/duogate.db' }],
    ['C:\\data\\duogate.db', { kind: 'sqlite', path: 'C:\\data\\duogate.db' }],
    [':memory:', { kind: 'sqlite', path: ':memory:' }],
  ])('reads the database %s', (DATABASE_URL, expected) => {
    expect(readConfig({ AUTH: 'off', DATABASE_URL }, ROOT).database).toStrictEqual(expected);
  });

  it('shows the metrics to nobody where they are off', () => {
    expect(readConfig({ AUTH: 'off', METRICS: 'off' }, ROOT).metricsReaders).toEqual({
      port: undefined,
      healthPort: undefined,
    });
  });

  it.each([{ BASE_URL: 'https://data.example.com' }, { TRUSTED_PROXIES: '127.0.0.1' }])(
    'shows the metrics only at HEALTH_PORT behind a proxy: %j',
    (environment) => {
      const read = (more: Readonly<Record<string, string>>) =>
        readConfig({ AUTH: 'off', ...environment, ...more }, ROOT).metricsReaders;
      expect(read({})).toEqual({ port: undefined, healthPort: ['127.0.0.0/8', '::1'] });
      expect(read({ METRICS: '::1' })).toEqual({ port: ['::1'], healthPort: ['::1'] });
    },
  );

  it('opens the services to every page', () => {
    expect(readConfig({ AUTH_SECRET: SECRET, CORS_ORIGINS: '*' }, ROOT).corsOrigins).toStrictEqual(['*']);
  });

  it.each(MISTAKEN)('rejects $name', ({ environment, mistakes }) => {
    expect(mistakesIn(environment)).toStrictEqual(mistakes);
  });
});

describe('localUrl', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['::1', 'http://[::1]:80'],
    ['0.0.0.0', 'http://localhost:80'],
    ['::', 'http://localhost:80'],
    ['gateway.example', 'http://gateway.example:80'],
  ])('is on %s %s', (host, url) => {
    expect(localUrl(host, 80)).toBe(url);
  });
});
