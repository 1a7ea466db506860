import { join } from 'node:path';
import type { Logger } from 'pino';
import { permissionsOf } from '../auth/permissions/grants.ts';
import { visibleModels } from '../auth/permissions/visible-model.ts';
import type { Config } from '../config/config.ts';
import { connectionsWithin } from '../config/open-files.ts';
import type { Deviations } from '../contract/deviations.ts';
import type { Connection, Link, ServedEntitySet } from '../contract/landing.ts';
import { MemoryAllowance } from '../contract/memory-allowance.ts';
import type { ReadCounts } from '../contract/read-counts.ts';
import { connectionsOf, type SampleQuery, sampleQueries } from '../graphql/sample-queries.ts';
import { describeService } from '../odata/service-overview.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import { listServedApis } from '../registry/served-apis.ts';
import type { Readiness } from '../server/health.ts';
import type { LandingOf } from '../server/landing.ts';
import type { Authenticate } from '../server/route-dependencies.ts';
import { createServer, type GatewayServer } from '../server/server.ts';

/** The output folder of `npm run build` for screens and documentation. */
const BUILD = join(import.meta.dirname, '../../dist');

/** The memory for responses of all routes and upstreams. */
export function memoryOf({ limits }: Config): MemoryAllowance {
  return new MemoryAllowance(limits);
}

interface ServerDependencies {
  readonly log: Logger;
  readonly deviations: Deviations;
  readonly reads: ReadCounts;
  readonly memory: MemoryAllowance;
  readonly authenticate: Authenticate;
  readonly readiness: () => Promise<Readiness>;
  /** Whether the project's current files cannot be served. */
  readonly isProjectRefused: () => boolean;
}

/** Creates the server without routes. */
export function serverOf(
  { apiKeyParameter, auth, baseUrl, corsOrigins, graphqlIds, issuers, limits, mail, metricsReaders }: Config,
  plan: ServedPlan,
  { log, deviations, reads, memory, authenticate, readiness, isProjectRefused }: ServerDependencies,
): GatewayServer {
  const basePath = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  return createServer({
    readiness,
    landing: landingOf(plan, { auth, issuers, mail, graphqlIds }),
    log,
    memory,
    authenticate,
    apiKeyParameter,
    corsOrigins,
    ownPages: auth.mode === 'off' ? { publicUrl: baseUrl, corsOrigins } : undefined,
    metricsReaders: metricsReaders.port,
    deviations,
    reads,
    isProjectRefused,
    web: { directory: join(BUILD, 'web'), basePath: `${basePath}/` },
    docs: { directory: join(BUILD, 'docs'), basePath: `${basePath}/docs/` },
    secure: baseUrl?.startsWith('https:') ?? false,
    limits: {
      graceMs: limits.shutdownGraceMs,
      maxTargetLength: limits.requests.url.length,
      bodiesBytes: limits.bodiesBytes,
      answerRate: limits.answerRate,
      uploadRate: limits.uploadRate,
      answerTimeoutMs: limits.answerTimeoutMs,
      maxConnections: connectionsWithin(limits.connections),
      connectionRequests: limits.connectionRequests,
      requests: limits.requestsAtOnce,
      userRequests: limits.userRequestsAtOnce,
    },
  });
}

/** Links are relative to the page, because the public URL may have a path. */
export function landingOf(
  plan: ServedPlan,
  { auth, issuers, mail, graphqlIds }: Pick<Config, 'auth' | 'issuers' | 'mail' | 'graphqlIds'>,
): LandingOf {
  const { model } = plan;
  const isLimited = auth.mode === 'required' && auth.signUp !== 'open';
  const byIssuers = auth.mode === 'required' ? issuers.flatMap(({ client }) => client ?? []) : [];
  const permissions = permissionsOf(model);
  const visibleTo = visibleModels(model);
  const samples = sampleQueries(model, graphqlIds);
  const connections = connectionsOf(samples);
  return (principal) => {
    const { entitySets, queries } = describeService(model, permissions, principal);
    const visible = visibleTo(principal);
    const connectionTo = connections(visible);
    return {
      title: 'Duogate',
      description: 'REST APIs as OData 4.01 and as GraphQL.',
      access: principal.kind,
      ...(isLimited && { signUp: auth.signUp }),
      ...(auth.mode === 'required' && !auth.passwords && { passwords: 'off' as const }),
      ...(auth.mode === 'required' && mail !== undefined && { mail: true as const }),
      ...(byIssuers.length > 0 && { issuers: byIssuers.map(({ name, path }) => ({ name, path })) }),
      links: LINKS,
      apis: listServedApis(plan.documents, principal),
      entitySets: entitySets.map((set) => withConnection(set, connectionTo.get(set.name))),
      queries: [...queries, ...samples(visible).map(linkOf)],
    };
  };
}

function linkOf({ title, query }: SampleQuery): Link {
  return {
    title: `GraphQL: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    href: `graphql?query=${encodeURIComponent(query)}`,
  };
}

function withConnection(set: ServedEntitySet, connection: Connection | undefined): ServedEntitySet {
  return connection === undefined ? set : { ...set, connection };
}

const LINKS: readonly Link[] = [
  { title: 'OData service', href: 'odata', description: 'What the service offers' },
  { title: 'Metadata', href: 'odata/$metadata', description: 'The entity data model as CSDL' },
  { title: 'GraphQL', href: 'graphql', description: 'In a browser: GraphiQL' },
  { title: 'Web screens', href: 'app', description: 'Lists and forms on the data' },
  { title: 'Documentation', href: 'docs/', description: 'How to connect, model and run' },
  { title: 'Health', href: 'health/ready', description: 'Readiness' },
];
