import { meshName } from '../../model/derive/names/mesh-name.ts';
import type {
  DocumentOperation,
  UnnamedOperation,
} from '../../model/derive/operations/document-operation.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { prepareOperation } from './prepare-operation.ts';
import type { PreparedSchema } from './prepared-schema.ts';
import { SchemaNormalizer } from './schema-normalizer.ts';
import type { SchemaPatches } from './schema-patches.ts';

/** An OpenAPI document as Mesh is given it, and what it cannot say. */
export interface PreparedDocument {
  readonly document: MeshDocument;
  readonly notes: SchemaPatches;
}

interface MeshDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, PreparedSchema>> };
}

/**
 * Makes of those operations of a document a document that Mesh takes for what the model takes the original
 * for: what Mesh gets wrong or fails on is put into other words, and what it has no use for is not there.
 *
 * All references of the result lead to its own components.
 */
export function normalizeDocument(
  source: DocumentSource,
  operations: readonly DocumentOperation[],
): PreparedDocument {
  const schemas = new SchemaNormalizer(source);
  const paths = new Map<string, Record<string, unknown>>();
  for (const operation of operations) {
    const path = freePath(paths, operation);
    paths.set(path, { ...paths.get(path), [operation.method]: prepareOperation(schemas, operation) });
  }
  const document = {
    openapi: '3.1.0',
    info: { title: source.name, version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: schemas.components() },
  };
  return { document, notes: schemas.notes() };
}

/** Paths that differ in what their parameters are called are told apart by fragments, which are not sent. */
function freePath(
  paths: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  operation: DocumentOperation,
): string {
  let path = pathTemplate(operation);
  while (paths.get(path)?.[operation.method] !== undefined) path += '#';
  return path;
}

/** A path parameter (OpenAPI 3.1, 4.8.8.2), or a brace that belongs to none. */
const PARAMETER_OR_BRACE = /\{([^{}]+)\}|[{}]/g;

/**
 * The path of an operation as Mesh fills it in: `{args.name}` wherever a parameter stands, and no other braces.
 * Those are percent-encoded, as a path must have them (RFC 3986, 3.3).
 */
function pathTemplate({ path }: Pick<UnnamedOperation, 'path'>): string {
  return path.replace(PARAMETER_OR_BRACE, (brace, name?: string) =>
    name === undefined ? encodeURIComponent(brace) : `{args.${meshName(name)}}`,
  );
}
