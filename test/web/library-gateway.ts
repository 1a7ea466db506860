import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';

/** The gateway before the sample library, which has everything that a model can have, for all tests of a file. */
export function useLibraryGateway(): { readonly url: string } {
  let library: SampleUpstream;
  let gateway: Gateway;
  beforeAll(async () => {
    library = await startLibraryUpstream();
    gateway = await startGateway(
      readConfig({
        AUTH: 'off',
        PORT: '0',
        LOG_LEVEL: 'silent',
        LIBRARY_URL: library.url,
        MESH_CONFIG: join(import.meta.dirname, '../../examples/library/.meshrc.yaml'),
      }),
    );
  });
  afterAll(async () => {
    await gateway.close();
    await library.close();
  });
  return {
    get url() {
      return gateway.url;
    },
  };
}
