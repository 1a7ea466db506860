import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { DIGEST, withoutDigest } from '../support/entity-tag.ts';

/** The time of the library's clock. */
export const NOW = '2026-06-01T12:00:00Z';

/** The gateway before the sample library. */
export interface LibraryGateway {
  /** Status and body, the service's root written as `~`. */
  readonly odata: (call: string, body?: string) => Promise<readonly [number, string]>;
  /** The same with what is not usual of the header: `204 etag: W/"2"`. */
  readonly answer: (call: string, request?: Sent) => Promise<readonly [string, string]>;
  readonly graphql: (query: string) => Promise<unknown>;
  /** The upstream's own response at the path. */
  readonly upstream: (path: string) => Promise<string>;
  /** The gateway's own address. */
  readonly url: () => string;
}

/** The body and headers of a request. */
export interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Header fields that say something of a resource, and what they usually are. */
const HEADER: readonly (readonly [string, ...string[]])[] = [
  ['content-type', 'application/json;odata.metadata=minimal', 'application/json'],
  ['odata-version', '4.0'],
  ['allow'],
  ['location'],
  ['odata-entityid'],
  ['etag'],
  ['preference-applied'],
];

function unusual({ status, headers }: Response): string {
  const fields = HEADER.flatMap(([name, ...usual]) => {
    const value = headers.get(name);
    const isOfJson = headers.get('content-type')?.startsWith('image/') !== true;
    const isUsual = value === null || usual.includes(value) || (isOfJson && DIGEST.test(value));
    return isUsual ? [] : [`${name}: ${value}`];
  });
  return [status, ...fields].join(' ');
}

const MESH_CONFIG = join(import.meta.dirname, '../../examples/library/.meshrc.yaml');

/** Starts both before the tests of the file; what a test changes stays changed. */
export function useLibrary(meshConfig = MESH_CONFIG): LibraryGateway {
  let library: SampleUpstream;
  let gateway: Gateway;
  beforeAll(async () => {
    library = await startLibraryUpstream(() => new Date(NOW));
    gateway = await startGateway(
      readConfig({
        AUTH: 'off',
        PORT: '0',
        LOG_LEVEL: 'silent',
        LIBRARY_URL: library.url,
        MESH_CONFIG: meshConfig,
      }),
    );
  });
  afterAll(async () => {
    await gateway.close();
    await library.close();
  });
  const headers = { 'content-type': 'application/json' };
  return {
    async odata(call, body) {
      const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
      const init = { method, ...(body !== undefined && { body, headers }) };
      const response = await fetch(`${gateway.url}/odata/${path}`, init);
      const text = withoutDigest(await response.text(), response);
      return [response.status, text.replaceAll(`${gateway.url}/odata`, '~')];
    },
    async answer(call, { body, headers: others = {} } = {}) {
      const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
      const sent = body === undefined ? others : { ...headers, ...others };
      const response = await fetch(`${gateway.url}/odata/${path}`, {
        method,
        body: body ?? null,
        headers: sent,
      });
      const root = `${gateway.url}/odata`;
      const shown = withoutDigest(await response.text(), response);
      return [unusual(response), shown].map((text) => text.replaceAll(root, '~')) as [string, string];
    },
    async graphql(query) {
      const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
      return (await fetch(`${gateway.url}/graphql`, init)).json();
    },
    upstream: async (path) => (await fetch(library.url + path)).text(),
    url: () => gateway.url,
  };
}
