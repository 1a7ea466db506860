import { setImmediate } from 'node:timers/promises';
import OpenAPIHandler from '@graphql-mesh/openapi';
import { InMemoryStoreStorageAdapter, MeshStore, type StoreStorageAdapter } from '@graphql-mesh/store';
import type { ImportFn, KeyValueCache, Logger, MeshFetch, MeshPubSub } from '@graphql-mesh/types';
import { getDefDirectives, PubSub } from '@graphql-mesh/utils';
import { getDocumentNodeFromSchema } from '@graphql-tools/utils';
import {
  buildASTSchema,
  type DefinitionNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isScalarType,
  Kind,
  parse,
  print,
  validateSchema,
  valueFromAST,
} from 'graphql';
import type { Log } from '../../contract/log.ts';
import type { DocumentOperation } from '../../derive/operations/document-operation.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { quietLogger } from '../../upstream/calls/mesh-context.ts';
import type { RootField } from '../../upstream/fields/http-field.ts';
import {
  normalizeDocument,
  type PreparedDocument,
  validateOperation,
} from '../normalized-document/normalize-document.ts';
import { meshFetch } from './root-fields.ts';

/** What Mesh wants beside a document; none of it keeps anything of the upstream. */
interface MeshServices {
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
 * A schema that goes from one thread to another: Mesh's as a text, whose directives say what the fields do; in
 * pieces, so that whoever reads it need not read it all at once.
 */
export type WrittenSchema = readonly string[];

/** Mesh reads documents from addresses only, and is handed this one as the answer of one; nothing is there. */
const DOCUMENT_URL = 'http://document.invalid/document.json';

/**
 * Has Mesh make the schema of a document. Throws what Mesh throws, where the schema that it makes is none, and where
 * a text of the document would be filled in.
 */
export async function writeSchema(
  document: PreparedDocument,
  name: string,
  services: MeshServices,
): Promise<WrittenSchema> {
  const fetch: typeof meshFetch = async (url, ...others) =>
    url === DOCUMENT_URL ? responseOf(JSON.stringify(document)) : meshFetch(url, ...others);
  const handler = openHandler({ name, endpoint: '' }, services, new InMemoryStoreStorageAdapter());
  const { schema } = await handler.getMeshSource({ fetchFn: fetch as unknown as MeshFetch });
  assertNoTemplates(schema);
  const written = inPieces(
    getDocumentNodeFromSchema(schema).definitions.map((definition) => print(definition)),
  );
  const [mistake] = validateSchema(schema);
  if (mistake !== undefined) throw mistake;
  return written;
}

/** The schema that {@link writeSchema} has written; its fields call the upstream. Others get their turn meanwhile. */
export async function readSchema(
  written: WrittenSchema,
  target: SchemaTarget,
  services: MeshServices,
): Promise<GraphQLSchema> {
  const definitions: DefinitionNode[] = [];
  for (const text of written) {
    definitions.push(...parse(text, { noLocation: true }).definitions);
    await setImmediate();
  }
  const plain = buildASTSchema(
    { kind: Kind.DOCUMENT, definitions },
    { assumeValid: true, assumeValidSDL: true },
  );
  await setImmediate();
  const handler = openHandler(target, services, stored(plain));
  const { schema } = await handler.getMeshSource({ fetchFn: meshFetch as unknown as MeshFetch });
  await setImmediate();
  assertNoTemplates(schema);
  keepIntegers(schema);
  for (const each of inputsOf(schema)) takeDefault(each);
  await setImmediate();
  return schema;
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
  services: MeshServices,
  storage: StoreStorageAdapter,
): OpenAPIHandler {
  return new OpenAPIHandler({
    name,
    // Headers and query parameters are the upstream client's to send.
    config: { source: DOCUMENT_URL, endpoint, ignoreErrorResponses: true },
    baseDir: '/',
    ...services,
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

/** Keeps large integers as they are written, in place: Mesh's own conversion prints a warning to the console. */
function keepIntegers(schema: GraphQLSchema): void {
  const type = schema.getType('BigInt');
  if (!isScalarType(type)) return;
  type.parseValue = (value) => (typeof value === 'object' ? undefined : value);
  type.parseLiteral = (node) => ('value' in node ? node.value : undefined);
}

/** A default has been read before Mesh knew what the values of an enumeration stand for. */
function takeDefault(input: Input): void {
  const written = input.astNode?.defaultValue;
  if (written) input.defaultValue = valueFromAST(written, input.type);
}

/** The schema of one source, of the operations that Mesh can take. */
interface SourceSchema {
  /** Undefined where none of its operations can be taken. */
  readonly schema: WrittenSchema | undefined;
  /** The operations that the schema has no field for. */
  readonly leftOut: readonly DocumentOperation[];
}

type Write = (document: PreparedDocument) => Promise<WrittenSchema>;

/**
 * Makes the schema of a source's operations. One that Mesh fails on is left out and reported: it takes
 * none of the others down.
 */
export async function sourceSchema(
  source: DocumentSource,
  operations: readonly DocumentOperation[],
  write: Write,
): Promise<SourceSchema> {
  const take = (taken: readonly DocumentOperation[]) => write(normalizeDocument(source, taken));
  const leaveOut = ({ node }: DocumentOperation, reason: string): void =>
    source.report('error', node.pointer, `The operation is left out: ${reason}`);
  const report = (operation: DocumentOperation, reason: string): void =>
    leaveOut(operation, `GraphQL Mesh fails on it (${reason})`);
  const fit = operations.filter((operation) => {
    const reason = validateOperation(operation);
    if (reason !== undefined) leaveOut(operation, reason);
    return reason === undefined;
  });
  for (let left: readonly DocumentOperation[] = fit; left.length > 0; ) {
    const outcome = await attempt(take, left);
    if (outcome.kind === 'schema') {
      return { schema: outcome.schema, leftOut: operations.filter((each) => !left.includes(each)) };
    }
    const takeable = await separate(take, left, report);
    if (takeable.length < left.length) left = takeable;
    else {
      // Each of them can be taken, but not all together.
      for (const operation of left) report(operation, outcome.reason);
      left = [];
    }
  }
  return { schema: undefined, leftOut: operations };
}

type Take = (operations: readonly DocumentOperation[]) => Promise<WrittenSchema>;

type Outcome =
  | { readonly kind: 'schema'; readonly schema: WrittenSchema }
  | { readonly kind: 'failure'; readonly reason: string };

async function attempt(take: Take, operations: readonly DocumentOperation[]): Promise<Outcome> {
  try {
    return { kind: 'schema', schema: await take(operations) };
  } catch (error) {
    return { kind: 'failure', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The operations that can be taken, found by halving those that cannot be taken together. */
async function separate(
  take: Take,
  operations: readonly DocumentOperation[],
  report: (operation: DocumentOperation, reason: string) => void,
): Promise<readonly DocumentOperation[]> {
  const middle = Math.ceil(operations.length / 2);
  const halves = [operations.slice(0, middle), operations.slice(middle)].filter((half) => half.length > 0);
  const takeable: DocumentOperation[] = [];
  for (const half of halves) {
    const outcome = await attempt(take, half);
    const [only] = half;
    if (outcome.kind === 'schema') takeable.push(...half);
    else if (half.length === 1 && only !== undefined) report(only, outcome.reason);
    else takeable.push(...(await separate(take, half, report)));
  }
  return takeable;
}

/**
 * Throws where Mesh would put anything but an argument into a request.
 *
 * What stands in braces in a path, a header or an address, Mesh replaces by what it finds under that name: among
 * the arguments, but also in the environment of the process and in the context. The prepared document has no
 * braces but those of its arguments, so whatever else there is comes from a text of the document's author.
 */
function assertNoTemplates(schema: GraphQLSchema): void {
  for (const { args } of directivesOf(schema, schema)) assertNoBraces('the address', textsIn(args));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!('getFields' in type) || isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) assertFieldWithoutTemplates(schema, field);
  }
}

/** What Mesh takes for them. */
function directivesOf(schema: GraphQLSchema, { astNode = null, extensions }: GraphQLSchema | RootField) {
  return getDefDirectives(schema, { astNode, extensions });
}

/** Directives of fields that Mesh makes no text of. */
const WITHOUT_TEMPLATES: ReadonlySet<string> = new Set([
  'deprecated',
  'dictionary',
  'example',
  'flatten',
  'resolveRoot',
  'resolveRootField',
]);

function assertFieldWithoutTemplates(schema: GraphQLSchema, field: RootField): void {
  for (const { name, args = {} } of directivesOf(schema, field)) {
    if (WITHOUT_TEMPLATES.has(name)) continue;
    if (name !== 'httpOperation') throw new Error(`${field.name} has the directive @${name}`);
    assertOperationWithoutTemplates(field, args);
  }
}

/** Of the arguments of the directive, the names of parameters alone are no templates. */
function assertOperationWithoutTemplates(
  { name, args }: RootField,
  { queryParamArgMap, queryStringOptionsByParam, ...others }: Readonly<Record<string, unknown>>,
): void {
  const known = new Set(args.map((argument) => argument.name));
  const texts = textsIn(others).map((text) =>
    text.replace(/\{args\.(\w+)\}/g, (whole, argument: string) => (known.has(argument) ? '' : whole)),
  );
  assertNoBraces(name, texts);
}

function assertNoBraces(place: string, texts: readonly string[]): void {
  const found = texts.find((text) => /[{}]/.test(text));
  if (found !== undefined) throw new Error(`${place} has braces that are no argument's: ${quoted(found)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** All that are in a value, however deep: names too. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}

export function openMeshServices(log: Log): MeshServices {
  return { cache: NO_CACHE, pubsub: new PubSub(), logger: quietLogger(log) };
}

const NO_CACHE: KeyValueCache = {
  get: () => undefined,
  set: () => undefined,
  delete: () => false,
  getKeysByPrefix: () => [],
};
