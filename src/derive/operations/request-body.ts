import { meshName } from '../../model/mesh-name.ts';
import type { FormMember, MediaInsert, Precondition, SentForm } from '../../model/operation.ts';
import { type DocumentNode, isTrue, member, members, text } from '../../openapi/document/document-node.ts';
import { resolve } from '../../openapi/document/document-source.ts';
import {
  isArraySchema,
  itemNode,
  jsonTypes,
  keyword,
  requiredNames,
  type SchemaReader,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { bodyKind } from './body-content.ts';
import type { Derivation } from './derivation.ts';
import type { DocumentOperation } from './document-operation.ts';

/** The supported media types of a request body; undefined if the document declares none. */
export function takenMedia(
  { source }: Derivation,
  { node }: DocumentOperation,
): readonly string[] | undefined {
  const body = resolve(source, member(node, 'requestBody'));
  const media = members(member(body, 'content')).map(([name]) => name);
  return media.length === 0 ? undefined : media;
}

/** The creation of an entity from a stream: by a body that is neither JSON nor a form. */
export function mediaInsert(derivation: Derivation, operation: DocumentOperation): MediaInsert | undefined {
  const taken = takenMedia(derivation, operation) ?? [];
  const mediaTypes = taken.filter((name) => bodyKind(name) === undefined && !/^multipart\//i.test(name));
  if (mediaTypes.length === 0) return undefined;
  return { mediaTypes, only: unsentMedia(derivation, operation) !== undefined };
}

/** The media types of a body that cannot be written, because none is JSON or a form. */
export function unsentMedia(derivation: Derivation, operation: DocumentOperation): string | undefined {
  if (operation.method === 'get' || operation.body !== undefined) return undefined;
  return takenMedia(derivation, operation)?.join(', ');
}

/** The first of the operations whose body can be written of an entity. */
export function firstSendable(
  derivation: Derivation,
  operations: readonly (DocumentOperation | undefined)[],
): DocumentOperation | undefined {
  return operations.find(
    (operation) =>
      operation !== undefined &&
      unsentMedia(derivation, operation) === undefined &&
      !requiresFile(derivation, operation),
  );
}

/** Whether a form cannot be sent without a file, which entities do not hold. */
function requiresFile(derivation: Derivation, operation: DocumentOperation): boolean {
  const files = fileNames(derivation, operation);
  const body = operation.body?.schema && derivation.read(operation.body.schema);
  return body !== undefined && [...requiredNames(body)].some((name) => files.has(name));
}

/** The members of a multipart form that are files, or lists of them. */
export function fileNames(
  { read }: Pick<Derivation, 'read'>,
  { body }: DocumentOperation,
): ReadonlySet<string> {
  const schema = body?.kind === 'multipart' && body.schema ? read(body.schema) : undefined;
  const properties = schema === undefined ? [] : [...schemaProperties(schema)];
  return new Set(properties.filter(([, node]) => isFile(read, node)).map(([name]) => name));
}

/** The parameter If-Match of a change, and its demand by 428 (RFC 6585, 3); undefined if it has neither. */
export function preconditionOf({ method, parameters, node }: DocumentOperation): Precondition | undefined {
  if (method === 'get' || method === 'post') return undefined;
  const parameter = parameters.find(
    ({ name, in: place }) => place === 'header' && name.toLowerCase() === 'if-match',
  );
  const isDemanded = member(member(node, 'responses'), '428') !== undefined;
  if (parameter === undefined && !isDemanded) return undefined;
  return {
    parameter: parameter && meshName(parameter.name),
    required: isDemanded || parameter?.required === true,
  };
}

/** The form that the operation's body is; undefined for JSON. */
export function sentForm(derivation: Derivation, operation: DocumentOperation): SentForm | undefined {
  const { body } = operation;
  if (body === undefined || body.kind === 'json') return undefined;
  const { kind, mediaType, node } = body;
  const encodings = new Map(members(member(node, 'encoding')));
  const files = fileNames(derivation, operation);
  const names = new Set([...encodings.keys(), ...files]);
  return {
    kind,
    mediaType,
    members: new Map([...names].map((name) => [name, formMember(encodings.get(name), files.has(name))])),
  };
}

const STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** OpenAPI 3.1.1, 4.8.15.1.2: each of these three lets the member be written as a parameter of the query is. */
const OF_PARAMETERS = ['style', 'explode', 'allowReserved'] as const;

function formMember(encoding: DocumentNode | undefined, isFileMember: boolean): FormMember {
  const isStyled = OF_PARAMETERS.some((name) => member(encoding, name) !== undefined);
  const written = text(member(encoding, 'style'));
  const style = isStyled ? (STYLES.find((each) => each === written) ?? 'form') : undefined;
  const explode = member(encoding, 'explode')?.value;
  return {
    ...(style && { style }),
    explode: typeof explode === 'boolean' ? explode : style === undefined || style === 'form',
    allowReserved: isTrue(member(encoding, 'allowReserved')),
    contentType: text(member(encoding, 'contentType'))
      ?.split(',')
      .map((each) => each.trim())
      .find((each) => !each.includes('*')),
    isFile: isFileMember,
  };
}

/** Whether values are files: bytes that no text encodes (OpenAPI 3.0, 4.7.14.1, and 3.1, 4.8.14.1), or lists of them. */
function isFile(read: SchemaReader, node: DocumentNode): boolean {
  const schema = read(node);
  if (schema === undefined) return false;
  const item = isArraySchema(schema) ? itemNode(schema) : undefined;
  if (item !== undefined) return isFile(read, item);
  const isBytes =
    text(keyword(schema, 'format')) === 'binary' || keyword(schema, 'contentMediaType') !== undefined;
  const isEncoded = keyword(schema, 'contentEncoding') !== undefined;
  return isBytes && !isEncoded && jsonTypes(schema).every((type) => type === 'string');
}
