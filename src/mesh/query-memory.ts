import { LRUCache } from 'lru-cache';
import type { CallableCall, EntityRead } from '../contract/entity-source.ts';
import type { GatewayMesh } from './mesh.ts';
import type { MeshQuery } from './mesh-query.ts';

/** Each holds compiled code. */
const QUERIES_KEPT = 256;

/** The queries that were built last. */
export class QueryMemory<Data> {
  readonly #queries = new LRUCache<string, MeshQuery<Data>>({ max: QUERIES_KEPT });
  readonly #mesh: GatewayMesh;

  constructor(mesh: GatewayMesh) {
    this.#mesh = mesh;
  }

  get(key: string, build: () => MeshQuery<Data>): MeshQuery<Data> {
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const query = build();
    this.#mesh.compile(query.document);
    this.#queries.set(key, query);
    return query;
  }
}

/** The key of a read: equal for reads that the same query answers. */
export function entityKey({ operation, entityType, properties, dynamic }: EntityRead): string {
  const { source, id } = operation;
  return `${source} ${id} ${entityType.name} ${dynamic === true ? '*' : ''} ${properties.join(' ')}`;
}

export function resultKey({
  operation: { source, id },
  returns,
  embedded = [],
  wrappedIn,
}: CallableCall): string {
  return `${source} ${id} ${returns?.type.name} ${returns?.collection} ${wrappedIn?.join('/')} ${embedded.join()}`;
}
