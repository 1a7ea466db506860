import { type DocumentNode, items, member, rootNode } from '../../openapi/document/document-node.ts';
import { pointerNames } from '../../openapi/document/written-place.ts';

const WORD = /^[A-Za-z_]\w*$/;

/** The JSONPath query (RFC 9535) that selects what a JSON pointer leads to in the document. */
export function jsonPathOf(document: unknown, pointer: string): string {
  let [node, path]: [DocumentNode | undefined, string] = [rootNode(document), '$'];
  for (const name of pointerNames(pointer)) {
    const isItem = Array.isArray(node?.value);
    path += isItem ? `[${name}]` : WORD.test(name) ? `.${name}` : `['${escaped(name)}']`;
    node = isItem ? items(node)[Number(name)] : member(node, name);
  }
  return path;
}

/** Section 2.3.1.1: in single quotation marks, these and control characters are escaped. */
function escaped(name: string): string {
  return name
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
