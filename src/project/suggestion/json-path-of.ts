import {
  type DocumentNode,
  items,
  member,
  pointerNames,
  rootNode,
} from '../../openapi/document/document-node.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { isSwagger, swaggerPointer } from '../../openapi/swagger/convert-swagger.ts';

/** The JSONPath query by which an overlay addresses a position of the document that the gateway reads. */
export function targetOf({ original: { document } }: OpenApiDescription, pointer: string): string {
  return jsonPathOf(document, isSwagger(document) ? swaggerPointer(document, pointer) : pointer);
}

const WORD = /^[A-Za-z_]\w*$/;

/** The JSONPath query (RFC 9535) for a JSON pointer. */
export function jsonPathOf(document: unknown, pointer: string): string {
  let [node, path]: [DocumentNode | undefined, string] = [rootNode(document), '$'];
  for (const name of pointerNames(pointer)) {
    const isItem = Array.isArray(node?.value);
    path += isItem ? `[${name}]` : WORD.test(name) ? `.${name}` : `['${escaped(name)}']`;
    node = isItem ? items(node)[Number(name)] : member(node, name);
  }
  return path;
}

/** Section 2.3.1.1: these and control characters are escaped in single quotes. */
function escaped(name: string): string {
  return name
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
