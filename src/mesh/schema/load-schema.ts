import OpenAPIHandler from '@graphql-mesh/openapi';
import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type { ImportFn, KeyValueCache, Logger, MeshFetch, MeshPubSub } from '@graphql-mesh/types';
import { type GraphQLSchema, validateSchema } from 'graphql';
import { applyNotes } from '../noted-schema/apply-notes.ts';
import type { PreparedDocument } from '../prepared-document/prepare-document.ts';
import { keepExact } from './exact-scalars.ts';
import { refuseTemplates } from './refuse-templates.ts';
import { meshFetch } from './root-fields.ts';

/** What Mesh wants beside a document. */
export interface HandlerGround {
  readonly cache: KeyValueCache;
  readonly pubsub: MeshPubSub;
  readonly logger: Logger;
}

/** What the fields of a schema call. */
export interface SchemaTarget {
  /** The name of the source. */
  readonly name: string;
  readonly endpoint: string;
}

/** Where Mesh asks for the document; nothing is there. */
const DOCUMENT_URL = 'http://document.invalid/document.json';

/** Nothing is ever imported as code. */
const refuseImport: ImportFn = (module: string) => Promise.reject(new Error(`${module} is not imported`));

/**
 * Has Mesh make the schema of a document, whose fields call the upstream. Throws what Mesh throws, and
 * where the schema that it makes is none.
 *
 * Mesh reads documents from addresses only, so it is handed this one as the answer of an address.
 */
export async function loadSchema(
  { document, notes }: PreparedDocument,
  { name, endpoint }: SchemaTarget,
  ground: HandlerGround,
): Promise<GraphQLSchema> {
  const handler = new OpenAPIHandler({
    name,
    // Headers and query parameters are the upstream client's to send.
    config: { source: DOCUMENT_URL, endpoint, ignoreErrorResponses: true },
    baseDir: '/',
    ...ground,
    // What has been made of another document is not looked up.
    store: new MeshStore('.mesh', new InMemoryStoreStorageAdapter(), { readonly: false, validate: false }),
    importFn: refuseImport,
  });
  const made = await handler.getMeshSource({ fetchFn: fetchOf(document) });
  refuseTemplates(made.schema);
  const schema = applyNotes(made.schema, notes);
  keepExact(schema);
  const [mistake] = validateSchema(schema);
  if (mistake !== undefined) throw mistake;
  return schema;
}

function fetchOf(document: PreparedDocument['document']): MeshFetch {
  const fetch: typeof meshFetch = async (url, ...others) =>
    url === DOCUMENT_URL ? responseOf(JSON.stringify(document)) : meshFetch(url, ...others);
  return fetch as unknown as MeshFetch;
}

function responseOf(text: string): Awaited<ReturnType<typeof meshFetch>> {
  return { status: 200, statusText: 'OK', ok: true, headers: new Headers(), text: async () => text };
}
