import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../app.ts';
import { type Environment, readConfig } from '../config/config.ts';
import { countBodiesWithHeap } from '../server/collection-limit.ts';
import { exitOnSignal } from '../server/shutdown.ts';
import { writeAnnouncement } from './announcement.ts';
import { copyProject } from './copy-project.ts';
import { logInToDemo, makeDemoAccount } from './demo-account.ts';
import { freePort } from './free-port.ts';
import type { SampleApi } from './sample-api.ts';

const DEFAULT_PORT = 4000;

/** Serves the API with everything a gateway needs, all of it in a folder that is gone at the end; says where. */
export async function runDemo(api: SampleApi, environment: Environment): Promise<void> {
  const { PORT, LOG_LEVEL = 'warn', CORS_ORIGINS, REGISTRY_HOSTS } = environment;
  const port = PORT || String(await freePort(DEFAULT_PORT));
  const directory = await mkdtemp(join(tmpdir(), 'duogate-demo-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const project = join(directory, 'project');
  await copyProject(project);
  const upstream = await api.start();
  const config = readConfig({
    PORT: port,
    LOG_LEVEL,
    CORS_ORIGINS,
    REGISTRY_HOSTS,
    HOST: '127.0.0.1',
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: join(directory, 'accounts.sqlite'),
    APPLICATION_NAME: `${api.name}-app`,
    GATEWAY_API_NAME: `${api.name}-api`,
    MESH_CONFIG: join(project, api.meshConfig),
    [api.urlVariable]: upstream.url,
  });
  const account = await makeDemoAccount(config, api.roles);
  countBodiesWithHeap();
  const gateway = await startGateway(config);
  const credentials = await logInToDemo(gateway.url, account);
  if (!PORT && config.port !== DEFAULT_PORT) {
    console.log(`Port ${DEFAULT_PORT} is taken, so this is ${config.port}.\n`);
  }
  const { url } = gateway;
  console.log(writeAnnouncement({ api, url, upstreamUrl: upstream.url, account, credentials }));
  exitOnSignal(async () => {
    await gateway.close();
    await upstream.close();
  }, gateway.log);
}

/** What a user can do something about. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!('code' in error && error.code === 'EADDRINUSE' && 'port' in error)) return error.message;
  return `Port ${error.port} is taken: set PORT to another one, or leave it out.`;
}
