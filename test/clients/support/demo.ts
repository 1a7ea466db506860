import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Gateway, startGateway } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { type DemoCredentials, makeDemoAccount, signInToDemo } from '../../../src/demo/demo-account.ts';
import { SAMPLE_APIS, type SampleApi } from '../../../src/demo/sample-api.ts';
import type { SampleUpstream } from '../../../src/demo/sample-server.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The demo (`npm run demo`), as a client meets it: an URL, and something to show. */
export interface Demo extends DemoCredentials {
  readonly url: string;
  /** The header of a client that has signed in. */
  readonly authorization: string;
}

/** Starts the demo of the API before the tests of the file, and stops it after them. */
export function useDemo(name: SampleApi['name'], environment: Readonly<Record<string, string>> = {}): Demo {
  let upstream: SampleUpstream;
  let gateway: Gateway;
  let directory: string;
  let credentials: DemoCredentials;
  beforeAll(async () => {
    const api = SAMPLE_APIS[name];
    directory = await mkdtemp(join(tmpdir(), 'duogate-clients-'));
    upstream = await api.start();
    const config = readConfig({
      ...environment,
      PORT: '0',
      LOG_LEVEL: 'silent',
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      DATABASE_URL: join(directory, 'accounts.sqlite'),
      MESH_CONFIG: join(ROOT, api.meshConfig),
      [api.urlVariable]: upstream.url,
    });
    const account = await makeDemoAccount(config, api.roles);
    gateway = await startGateway(config);
    credentials = await signInToDemo(gateway.url, account);
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
    rmSync(directory, { recursive: true });
  });
  return {
    get url() {
      return gateway.url;
    },
    get token() {
      return credentials.token;
    },
    get key() {
      return credentials.key;
    },
    get authorization() {
      return `Bearer ${credentials.token}`;
    },
  };
}
