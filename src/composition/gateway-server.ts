import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { connectionsWithin } from '../config/open-files.ts';
import type { Deviations } from '../contract/deviations.ts';
import { MemoryAllowance } from '../contract/memory-allowance.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import type { Authenticate } from '../server/route-dependencies.ts';
import { createServer, type GatewayServer } from '../server/server.ts';
import { landingOf } from './landing.ts';

/** Where `npm run build` puts the screens, and the documentation. */
const BUILD = join(import.meta.dirname, '../../dist');

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Room for the answers of all parts and of all upstreams. */
export function memoryOf({ limits }: Config): MemoryAllowance {
  return new MemoryAllowance(limits);
}

interface ServerDependencies {
  readonly log: Logger;
  readonly deviations: Deviations;
  readonly memory: MemoryAllowance;
  readonly authenticate: Authenticate;
  /** Whether the project's files have changed to what cannot be served. */
  readonly isProjectRefused: () => boolean;
}

/** It has no parts yet. */
export function serverOf(
  { apiKeyParameter, auth, baseUrl, corsOrigins, issuers, limits, mail, metricsReaders }: Config,
  plan: ServedPlan,
  { log, deviations, memory, authenticate, isProjectRefused }: ServerDependencies,
): GatewayServer {
  const basePath = baseUrl === undefined ? '' : pathOf(baseUrl);
  return createServer({
    parts: [],
    landing: landingOf(plan, { auth, issuers, mail }),
    log,
    memory,
    authenticate,
    apiKeyParameter,
    corsOrigins,
    ownPages: auth.mode === 'off' ? { publicUrl: baseUrl, corsOrigins } : undefined,
    metricsReaders,
    deviations,
    isProjectRefused,
    web: { directory: join(BUILD, 'web'), basePath: `${basePath}/` },
    docs: { directory: join(BUILD, 'docs'), basePath: `${basePath}/docs/` },
    secure: baseUrl?.startsWith('https:') ?? false,
    limits: {
      graceMs: limits.shutdownGraceMs,
      maxTargetLength: limits.requests.url.length,
      bodiesBytes: limits.bodiesBytes,
      answerRate: limits.answerRate,
      answerTimeoutMs: limits.answerTimeoutMs,
      maxConnections: connectionsWithin(limits.connections),
      connectionRequests: limits.connectionRequests,
      requests: limits.requestsAtOnce,
      userRequests: limits.userRequestsAtOnce,
    },
  });
}
