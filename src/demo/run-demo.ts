import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, readConfig } from '../config/config.ts';
import { type DemoAccount, type DemoCredentials, makeDemoAccount, signInToDemo } from './demo-account.ts';
import { SAMPLE_APIS, type SampleApi } from './sample-api.ts';
import { get, type SampleCall } from './sample-call.ts';
import type { SampleName } from './sample-names.ts';

const DEFAULT_PORT = 4000;

/**
 * Serves the sample API with everything that a gateway needs, in a temporary folder; returns the
 * announcement. `serve` starts a gateway with settings and returns its URL.
 */
export async function runDemo(name: SampleName, variables: Environment, serve: Serve): Promise<string> {
  const api = SAMPLE_APIS[name];
  const directory = await mkdtemp(join(tmpdir(), 'duogate-demo-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  await copyProject(projectIn(directory));
  const upstream = await api.start();
  try {
    const environment = { ...(await settings(api, variables, directory)), [api.urlVariable]: upstream.url };
    const account = await makeDemoAccount(readConfig(environment), api.roles);
    const url = await serve(environment);
    const credentials = await signInToDemo(url, account);
    const isNext = !variables['PORT'] && environment.PORT !== String(DEFAULT_PORT);
    const taken = isNext ? `Port ${DEFAULT_PORT} is taken, so this is ${environment.PORT}.\n\n` : '';
    return taken + writeAnnouncement({ api, url, upstreamUrl: upstream.url, account, credentials });
  } catch (error) {
    // An open server would keep the process running.
    await upstream.close();
    throw error;
  }
}

type Serve = (environment: Environment) => Promise<string>;

async function settings(
  api: SampleApi,
  { PORT, LOG_LEVEL = 'warn', CORS_ORIGINS, REGISTRY_HOSTS }: Environment,
  directory: string,
) {
  return {
    PORT: PORT || String(await freePort(DEFAULT_PORT)),
    LOG_LEVEL,
    CORS_ORIGINS,
    REGISTRY_HOSTS,
    HOST: '127.0.0.1',
    SHUTDOWN_LEAVE_MS: '0',
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: join(directory, 'accounts.sqlite'),
    APPLICATION_NAME: `${api.name}-app`,
    GATEWAY_API_NAME: `${api.name}-api`,
    MESH_CONFIG: join(projectIn(directory), api.meshConfig),
  };
}

function projectIn(directory: string): string {
  return join(directory, 'project');
}

interface Announced {
  readonly api: SampleApi;
  readonly url: string;
  readonly upstreamUrl: string;
  readonly account: DemoAccount;
  readonly credentials: DemoCredentials;
}

/** The announcement: URLs, and commands that can be pasted into a shell. */
function writeAnnouncement({ api, url, upstreamUrl, account, credentials }: Announced): string {
  const { token, key } = credentials;
  const [path = '', query = ''] = api.query.split('?');
  const withKey = get('With an API key, for programs that cannot sign in', `/odata/${path}?$top=1`);
  const calls = [
    ...api.calls.map((call) => write(call, url, `Authorization: Bearer ${token}`)),
    write(withKey, url, `X-API-Key: ${key}`),
  ];
  return `Duogate serves the sample ${api.name} API at ${upstreamUrl} to whoever signs in.

  Account           ${account.email}, password ${account.password}
  Start here        ${url}/
  Service document  ${url}/odata?api_key=${key}
  Metadata          ${url}/odata/$metadata?api_key=${key}
  A query           ${url}/odata/${path}?api_key=${key}&${query}
  GraphQL           ${url}/graphql
  Register an API   ${url}/app/apis

For a shell:

${calls.join('\n')}
Ctrl-C stops it.
`;
}

function write({ shows, line }: SampleCall, url: string, header: string): string {
  return `  # ${shows}\n  ${line.replace('curl', `curl -H '${header}'`).replace('{url}', url)}\n`;
}

const REPOSITORY = join(import.meta.dirname, '../..');

const PROJECTS = ['.meshrc.yaml', 'openapi', 'examples'] as const;

/** Copies the sample projects, so that APIs registered in the demo do not change the repository. */
async function copyProject(directory: string): Promise<void> {
  for (const name of PROJECTS) await cp(join(REPOSITORY, name), join(directory, name), { recursive: true });
}

/** The first free port of the loopback address, from the given one on. */
export async function freePort(from: number): Promise<number> {
  for (let port = from; port < from + 100; port += 1) if (await isFree(port)) return port;
  throw new Error(`All ports from ${from} to ${from + 99} are taken: set PORT to another one.`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
