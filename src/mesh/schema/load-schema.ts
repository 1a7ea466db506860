import { setImmediate } from 'node:timers/promises';
import OpenAPIHandler from '@graphql-mesh/openapi';
import { InMemoryStoreStorageAdapter, MeshStore, type StoreStorageAdapter } from '@graphql-mesh/store';
import type { ImportFn, KeyValueCache, Logger, MeshFetch, MeshPubSub } from '@graphql-mesh/types';
import { getDocumentNodeFromSchema } from '@graphql-tools/utils';
import {
  buildASTSchema,
  type DefinitionNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  Kind,
  parse,
  print,
  validateSchema,
  valueFromAST,
} from 'graphql';
import type { PreparedDocument } from '../normalized-document/normalize-document.ts';
import type { SchemaPatches } from '../normalized-document/schema-patches.ts';
import { applyPatches } from '../patched-schema/apply-patches.ts';
import { keepExact } from './exact-scalars.ts';
import { refuseTemplates } from './refuse-templates.ts';
import { meshFetch } from './root-fields.ts';

/** What Mesh wants beside a document. */
export interface HandlerDependencies {
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

/**
 * A schema that goes from one thread to another: Mesh's as a text, whose directives say what the fields do. It is in
 * pieces, so that whoever reads it need not read it all at once.
 */
export interface WrittenSchema {
  readonly texts: readonly string[];
  readonly notes: SchemaPatches;
}

/** Mesh reads documents from addresses only, and is handed this one as the answer of one; nothing is there. */
const DOCUMENT_URL = 'http://document.invalid/document.json';

/**
 * Has Mesh make the schema of a document. Throws what Mesh throws, where the schema that it makes is none, and where
 * a text of the document would be filled in.
 */
export async function writeSchema(
  { document, notes }: PreparedDocument,
  name: string,
  ground: HandlerDependencies,
): Promise<WrittenSchema> {
  const fetch: typeof meshFetch = async (url, ...others) =>
    url === DOCUMENT_URL ? responseOf(JSON.stringify(document)) : meshFetch(url, ...others);
  const handler = openHandler({ name, endpoint: '' }, ground, new InMemoryStoreStorageAdapter());
  const { schema } = await handler.getMeshSource({ fetchFn: fetch as unknown as MeshFetch });
  refuseTemplates(schema);
  const texts = inPieces(
    getDocumentNodeFromSchema(schema).definitions.map((definition) => print(definition)),
  );
  const [mistake] = validateSchema(applyPatches(schema, notes));
  if (mistake !== undefined) throw mistake;
  return { texts, notes };
}

/** The schema that {@link writeSchema} has written; its fields call the upstream. Others get their turn meanwhile. */
export async function readSchema(
  { texts, notes }: WrittenSchema,
  target: SchemaTarget,
  ground: HandlerDependencies,
): Promise<GraphQLSchema> {
  const definitions: DefinitionNode[] = [];
  for (const text of texts) {
    definitions.push(...parse(text, { noLocation: true }).definitions);
    await setImmediate();
  }
  const plain = buildASTSchema(
    { kind: Kind.DOCUMENT, definitions },
    { assumeValid: true, assumeValidSDL: true },
  );
  await setImmediate();
  const handler = openHandler(target, ground, stored(plain));
  const { schema } = await handler.getMeshSource({ fetchFn: meshFetch as unknown as MeshFetch });
  await setImmediate();
  refuseTemplates(schema);
  for (const each of inputsOf(schema)) takeDefault(each);
  await setImmediate();
  const noted = applyPatches(schema, notes);
  keepExact(noted);
  return noted;
}

/** What is parsed in one go: some milliseconds' work. */
const PIECE_LENGTH = 100_000;

function inPieces(definitions: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let length = 0;
  for (const definition of definitions) {
    piece.push(definition);
    length += definition.length;
    if (length < PIECE_LENGTH) continue;
    pieces.push(piece.join('\n'));
    piece = [];
    length = 0;
  }
  return piece.length === 0 ? pieces : [...pieces, piece.join('\n')];
}

/** A schema as Mesh finds it where it has put it down at an earlier time, before its directives were looked at. */
function stored(schema: GraphQLSchema): StoreStorageAdapter {
  return { read: async () => schema, write: async () => undefined, delete: async () => undefined };
}

/** Nothing is ever imported as code. */
const refuseImport: ImportFn = (module: string) => Promise.reject(new Error(`${module} is not imported`));

function openHandler(
  { name, endpoint }: SchemaTarget,
  ground: HandlerDependencies,
  storage: StoreStorageAdapter,
): OpenAPIHandler {
  return new OpenAPIHandler({
    name,
    // Headers and query parameters are the upstream client's to send.
    config: { source: DOCUMENT_URL, endpoint, ignoreErrorResponses: true },
    baseDir: '/',
    ...ground,
    store: new MeshStore('.mesh', storage, { readonly: false, validate: false }),
    importFn: refuseImport,
  });
}

function responseOf(text: string): Awaited<ReturnType<typeof meshFetch>> {
  return { status: 200, statusText: 'OK', ok: true, headers: new Headers(), text: async () => text };
}

type Input = GraphQLArgument | GraphQLInputField;

function inputsOf(schema: GraphQLSchema): readonly Input[] {
  return Object.values(schema.getTypeMap()).flatMap((type): readonly Input[] => {
    if (isInputObjectType(type)) return Object.values(type.getFields());
    return 'getFields' in type ? Object.values(type.getFields()).flatMap(({ args }) => args) : [];
  });
}

/** A default has been read before Mesh knew what the values of an enumeration stand for. */
function takeDefault(input: Input): void {
  const written = input.astNode?.defaultValue;
  if (written) input.defaultValue = valueFromAST(written, input.type);
}
