import type { BodyContent } from '../../derive/operations/body-content.ts';
import {
  type DocumentOperation,
  type DocumentParameter,
  delimiterOf,
  onlyValue,
  type UnnamedOperation,
} from '../../derive/operations/document-operation.ts';
import { meshName } from '../../model/mesh-name.ts';
import { type DocumentNode, member, members, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import { anySchema, type PreparedSchema } from './scalar-schema.ts';
import { SchemaNormalizer } from './schema-normalizer.ts';

/** An OpenAPI document in the form for Mesh. */
export interface PreparedDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, PreparedSchema>> };
}

/**
 * Rewrites operations of a document so that Mesh interprets them like the model: constructs that Mesh
 * misinterprets or rejects are replaced, and unneeded parts are removed.
 *
 * All references of the result refer to its own components.
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
  return {
    openapi: '3.1.0',
    info: { title: source.name, version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: schemas.components() },
  };
}

/** Paths that differ only in the names of parameters get fragments, which are not sent. */
function freePath(
  paths: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  operation: DocumentOperation,
): string {
  let path = pathTemplate(operation);
  while (paths.get(path)?.[operation.method] !== undefined) path += '#';
  return path;
}

/** A path parameter (OpenAPI 3.1, 4.8.8.2), or another brace. */
const PARAMETER_OR_BRACE = /\{([^{}]+)\}|[{}]/g;

/**
 * The path in Mesh's syntax: `{args.name}` for parameters; other braces are percent-encoded (RFC 3986, 3.3).
 */
function pathTemplate({ path }: Pick<UnnamedOperation, 'path'>): string {
  return path.replace(PARAMETER_OR_BRACE, (brace, name?: string) =>
    name === undefined ? encodeURIComponent(brace) : `{args.${meshName(name)}}`,
  );
}

/**
 * An operation under its name in the mesh, with the body and response that the model uses.
 *
 * Error responses, links, callbacks and credentials are removed: the gateway handles errors, and links would
 * bypass permissions.
 */
function prepareOperation(schemas: SchemaNormalizer, operation: DocumentOperation) {
  const { id, parameters } = operation;
  const schema = operation.body?.schema && schemas.body(operation.body.schema);
  const requestBody = schema && { content: { [preparedMedia(operation.body)]: { schema } } };
  return {
    operationId: id,
    parameters: parameters.map((parameter) => prepareParameter(schemas, parameter, id)),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { '200': { description: '', content: prepareAnswer(schemas, operation) } },
  };
}

function prepareParameter(
  schemas: SchemaNormalizer,
  parameter: DocumentParameter,
  operation: string,
): PreparedSchema {
  const { name, in: place, required, node } = parameter;
  const described = parameter.schema && schemas.parameter(parameter.schema, `${operation}_${name}`);
  // Mesh writes no list with other signs than commas: it is given a text.
  const prepared = delimiterOf(parameter) === undefined ? (described ?? TEXT) : TEXT;
  const { default: written, ...schema } = prepared;
  const otherwise = written ?? onlyValue(parameter.schema)?.value;
  // Mesh would send a default for every omitted parameter, but only required ones need it.
  const given = required && otherwise !== undefined ? { ...schema, default: otherwise } : schema;
  return {
    // Path parameters have their names in GraphQL.
    name: place === 'path' ? meshName(name) : name,
    in: place,
    required: required && otherwise === undefined,
    // With `content`, Mesh does not write a default into the header's template.
    ...(place === 'header' ? { content: { 'application/json': { schema: given } } } : { schema: given }),
    ...(place === 'query' ? writingOf(node, schema) : {}),
  };
}

const TEXT: PreparedSchema = { type: 'string' };

/** OpenAPI 3.1, 4.8.12.2: `form` repeats the parameter for each item or member, unless `explode` is false. */
function writingOf(node: DocumentNode, schema: PreparedSchema): PreparedSchema {
  if (text(member(node, 'style')) === 'deepObject') return {};
  const isExploded = member(node, 'explode')?.value !== false;
  if (schema['type'] === 'array') return { style: 'form', explode: isExploded };
  return schema['type'] === 'object' && isExploded ? { style: 'form', explode: true } : {};
}

/** Hides multipart types, whose bodies Mesh would write itself. */
function preparedMedia({ kind, mediaType }: BodyContent): string {
  return kind === 'multipart' ? 'application/json' : mediaType;
}

/** The media type in the schema's pointer: `/…/content/application~1json/schema`. */
function mediaType({ pointer }: DocumentNode): string {
  const [media = ''] = pointer.split('/').slice(-2);
  const written = media.replaceAll('~1', '/').replaceAll('~0', '~');
  return written.includes('*') ? 'application/json' : written;
}

/** Any value if the response is not described; texts and bytes for types other than JSON. */
function prepareAnswer(schemas: SchemaNormalizer, { answer, response }: DocumentOperation) {
  const schema = answer && schemas.answer(answer);
  if (answer !== undefined && schema !== undefined) return { [mediaType(answer)]: { schema } };
  const [other, ...others] = otherMedia(response);
  if (other === undefined) return { 'application/json': { schema: anySchema() } };
  const format = [other, ...others].every((name) => TEXTUAL.test(name)) ? {} : { format: 'byte' };
  return { [other]: { schema: { type: 'string', ...format } } };
}

/** The media types of a response that may not be JSON. */
function otherMedia(response: DocumentNode | undefined): readonly string[] {
  const media = members(member(response, 'content')).map(([name]) => name);
  return media.some((name) => /json|\*/.test(name)) ? [] : media;
}

/** The reason why Mesh cannot handle an operation; undefined if it can. */
export function validateOperation({ body, answer, response }: DocumentOperation): string | undefined {
  const taken = answer === undefined ? otherMedia(response).slice(0, 1) : [mediaType(answer)];
  // Mesh makes header fields of these names, and would replace text in braces.
  const braced = [...(body?.schema === undefined ? [] : [preparedMedia(body)]), ...taken].find((name) =>
    /[{}]/.test(name),
  );
  return braced === undefined ? undefined : `its media type ${quote(braced)} has braces`;
}

/** RFC 6838, 4.2.1, and RFC 7303. */
const TEXTUAL = /^text\/|^application\/(x-)?(xml|yaml|www-form-urlencoded|javascript)\b|\+(xml|yaml)\b/i;
