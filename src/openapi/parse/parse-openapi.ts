import { isObject } from '../../core/json-object.ts';
import { NotOpenApi } from './document-mistake.ts';
import { type OpenApiDocument, validateVersion } from './openapi-version.ts';
import { beginsAsJson, LARGE_TEXT, parseText } from './parse-text.ts';
import { insertSlashes } from './slashed-references.ts';

/**
 * Parses the text of an OpenAPI document, or of one of Swagger 2.0, in YAML or JSON.
 *
 * Throws a {@link DocumentMistake} for any other text; a {@link NotOpenApi} for one that can be read.
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

/** Throws a {@link NotOpenApi} where an object says that it is anything else. */
export function assertVersion(document: OpenApiDocument): void {
  refuse(validateVersion(document));
}

/** A large text is looked over before it is parsed as YAML, which takes a second for each megabyte. */
function validateLength(text: string): string | undefined {
  if (text.length < LARGE_TEXT || beginsAsJson(text)) return undefined;
  if (/^[ \t]*["']?(?:openapi|swagger)["']?[ \t]*:/m.test(text)) return undefined;
  return 'It is not an OpenAPI document: it has no `openapi` version.';
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new NotOpenApi(reason);
}
