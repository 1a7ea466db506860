import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type { KeyValueCache, Logger, MeshPubSub } from '@graphql-mesh/types';
import { PubSub } from '@graphql-mesh/utils';
import type { Log } from '../../contract/log.ts';
import { quietLogger } from './quiet-logger.ts';

/** What Mesh wants for its work beside sources; none of it keeps anything of the upstream. */
export interface MeshServices {
  readonly cache: KeyValueCache;
  readonly pubsub: MeshPubSub;
  readonly logger: Logger;
  readonly store: MeshStore;
}

export function openMeshServices(log: Log): MeshServices {
  return {
    cache: NO_CACHE,
    pubsub: new PubSub(),
    logger: quietLogger(log),
    store: new MeshStore('.mesh', new InMemoryStoreStorageAdapter(), { readonly: false, validate: false }),
  };
}

const NO_CACHE: KeyValueCache = {
  get: () => undefined,
  set: () => undefined,
  delete: () => false,
  getKeysByPrefix: () => [],
};
