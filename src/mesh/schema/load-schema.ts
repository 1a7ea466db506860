import OpenAPIHandler from '@graphql-mesh/openapi';
import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type { ImportFn, KeyValueCache, Logger, MeshFetch, MeshPubSub } from '@graphql-mesh/types';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  validateSchema,
  valueFromAST,
} from 'graphql';
import { applyNotes } from '../noted-schema/apply-notes.ts';
import type { PreparedDocument } from '../prepared-document/prepare-document.ts';
import type { TypeNotes } from '../prepared-document/type-notes.ts';
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

/** A schema that goes from one thread to another: Mesh's as a text, whose directives say what the fields do. */
export interface WrittenSchema {
  readonly text: string;
  readonly notes: TypeNotes;
}

/**
 * Has Mesh make the schema of a document. Throws what Mesh throws, where the schema that it makes is none, and where
 * a text of the document would be filled in.
 */
export async function writeSchema(
  { document, notes }: PreparedDocument,
  name: string,
  ground: HandlerGround,
): Promise<WrittenSchema> {
  const address = 'http://document.invalid/document.json';
  const made = await load({ address, text: JSON.stringify(document) }, { name, endpoint: '' }, ground);
  const text = printSchemaWithDirectives(made);
  const [mistake] = validateSchema(applyNotes(made, notes));
  if (mistake !== undefined) throw mistake;
  return { text, notes };
}

/** The schema of a text that {@link writeSchema} has written; its fields call the upstream. */
export async function readSchema(
  { text, notes }: WrittenSchema,
  target: SchemaTarget,
  ground: HandlerGround,
): Promise<GraphQLSchema> {
  const made = await load({ address: 'http://document.invalid/schema.graphql', text }, target, ground);
  for (const each of inputsOf(made)) takeDefault(each);
  const schema = applyNotes(made, notes);
  keepExact(schema);
  return schema;
}

/** Mesh reads from addresses only, and is handed a text as the answer of one; nothing is there. */
interface Addressed {
  readonly address: string;
  readonly text: string;
}

/** Nothing is ever imported as code. */
const refuseImport: ImportFn = (module: string) => Promise.reject(new Error(`${module} is not imported`));

async function load(
  { address, text }: Addressed,
  { name, endpoint }: SchemaTarget,
  ground: HandlerGround,
): Promise<GraphQLSchema> {
  const handler = new OpenAPIHandler({
    name,
    // Headers and query parameters are the upstream client's to send.
    config: { source: address, endpoint, ignoreErrorResponses: true },
    baseDir: '/',
    ...ground,
    // What has been made of another document is not looked up.
    store: new MeshStore('.mesh', new InMemoryStoreStorageAdapter(), { readonly: false, validate: false }),
    importFn: refuseImport,
  });
  const fetch: typeof meshFetch = async (url, ...others) =>
    url === address ? responseOf(text) : meshFetch(url, ...others);
  const { schema } = await handler.getMeshSource({ fetchFn: fetch as unknown as MeshFetch });
  refuseTemplates(schema);
  return schema;
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
