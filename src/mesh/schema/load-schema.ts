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

/** Services that Mesh requires; they store nothing of the upstream. */
interface MeshServices {
  readonly cache: KeyValueCache;
  readonly pubsub: MeshPubSub;
  readonly logger: Logger;
}

/** The target of a schema's calls. */
export interface SchemaTarget {
  readonly name: string;
  readonly endpoint: string;
}

/**
 * A schema that can be sent to another thread: Mesh's schema as text with directives, in pieces that are
 * parsed separately.
 */
export type WrittenSchema = readonly string[];

/** Mesh reads documents from URLs only; the text is served as the response for this one. */
const DOCUMENT_URL = 'http://document.invalid/document.json';

/**
 * Lets Mesh build the schema of a document. Throws Mesh's errors, for an invalid schema, and for template
 * expressions in the document's texts.
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

/** Builds the schema of {@link writeSchema}, whose fields call the upstream. Yields to other work. */
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
  const handler = openHandler(target, services, {
    read: async () => plain,
    write: async () => undefined,
    delete: async () => undefined,
  });
  const { schema } = await handler.getMeshSource({ fetchFn: meshFetch as unknown as MeshFetch });
  await setImmediate();
  assertNoTemplates(schema);
  keepIntegers(schema);
  for (const each of inputsOf(schema)) takeDefault(each);
  await setImmediate();
  return schema;
}

/** Characters parsed in one stretch of some milliseconds. */
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

/** Prevents Mesh from importing code. */
const refuseImport: ImportFn = (module: string) => Promise.reject(new Error(`${module} is not imported`));

function openHandler(
  { name, endpoint }: SchemaTarget,
  services: MeshServices,
  storage: StoreStorageAdapter,
): OpenAPIHandler {
  return new OpenAPIHandler({
    name,
    // The upstream client sends headers and query parameters itself.
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

/** Keeps large integers as written; Mesh's own conversion prints a warning to the console. */
function keepIntegers(schema: GraphQLSchema): void {
  const type = schema.getType('BigInt');
  if (!isScalarType(type)) return;
  type.parseValue = (value) => (typeof value === 'object' ? undefined : value);
  type.parseLiteral = (node) => ('value' in node ? node.value : undefined);
}

/** Evaluates a default again, because it was read before Mesh set the values of the enumeration. */
function takeDefault(input: Input): void {
  const written = input.astNode?.defaultValue;
  if (written) input.defaultValue = valueFromAST(written, input.type);
}

/** The schema of a source with the operations that Mesh can handle. */
interface SourceSchema {
  /** Undefined if Mesh can handle none of the operations. */
  readonly schema: WrittenSchema | undefined;
  /** The operations without a field. */
  readonly leftOut: readonly DocumentOperation[];
}

type Write = (document: PreparedDocument) => Promise<WrittenSchema>;

/** Builds the schema of a source. Operations on which Mesh fails are left out and reported. */
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
      // Each operation works alone, but not all together.
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

/** The operations that Mesh can handle, found by bisection. */
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
 * Throws if Mesh would insert anything but arguments into a request.
 *
 * Mesh replaces text in braces in paths, headers and URLs by arguments, but also by environment variables and
 * context members. The prepared document has no braces except its arguments', so others come from texts of
 * the document's author.
 */
function assertNoTemplates(schema: GraphQLSchema): void {
  for (const { args } of directivesOf(schema, schema)) assertNoBraces('the address', textsIn(args));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!('getFields' in type) || isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) assertFieldWithoutTemplates(schema, field);
  }
}

/** The directives that Mesh evaluates. */
function directivesOf(schema: GraphQLSchema, { astNode = null, extensions }: GraphQLSchema | RootField) {
  return getDefDirectives(schema, { astNode, extensions });
}

/** Directives without templates. */
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

/** Of the directive's arguments, only the names of parameters are not templates. */
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
  if (found !== undefined)
    throw new Error(`${place} has braces that are no argument's: ${JSON.stringify(found.slice(0, 80))}`);
}

/** All strings in a value, including names of members. */
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
