import { isObject } from '../../core/json-object.ts';
import { NotOpenApi } from './document-mistake.ts';
import { type OpenApiDocument, validateVersion } from './openapi-version.ts';
import { beginsAsJson, LARGE_TEXT, parseText } from './parse-text.ts';
import { insertSlashes } from './slashed-references.ts';

/**
 * Parses an OpenAPI or Swagger 2.0 document in YAML or JSON.
 *
 * Throws {@link DocumentMistake}, or {@link NotOpenApi} for a readable text of another kind.
 */
export function parseOpenApi(text: string): OpenApiDocument {
  if (text.trim() === '') throw new NotOpenApi('The file is empty.');
  refuse(validateLength(text));
  const value = parseText(text);
  if (!isObject(value)) throw new NotOpenApi('It is not an OpenAPI document: it holds no object.');
  assertVersion(value);
  insertSlashes(value);
  return value;
}

/** Throws {@link NotOpenApi} for other objects. */
export function assertVersion(document: OpenApiDocument): void {
  refuse(validateVersion(document));
}

/** A large text is checked before it is parsed as YAML, which takes a second per megabyte. */
function validateLength(text: string): string | undefined {
  if (text.length < LARGE_TEXT || beginsAsJson(text)) return undefined;
  if (/^[ \t]*["']?(?:openapi|swagger)["']?[ \t]*:/m.test(text)) return undefined;
  return 'It is not an OpenAPI document: it has no `openapi` version.';
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new NotOpenApi(reason);
}
