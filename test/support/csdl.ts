import { xml2json } from 'odata-csdl';

interface Node {
  [name: string]: unknown;
}

/**
 * A metadata document in XML as CSDL JSON, with each annotation in what it is about (CSDL JSON 4.01, 14.2). As the
 * converter has the vocabularies of the OASIS referenced in JSON, we have our copies of them.
 */
export function jsonOfXml(xml: string): Readonly<Record<string, unknown>> {
  const vocabularies = /(<edmx:Reference Uri="[^"]*\/\$?vocabularies\/[^"]*)\.xml"/g;
  const document: Node = { ...xml2json(xml.replace(vocabularies, '$1.json"')) };
  for (const schema of Object.values(document)) {
    if (!isNode(schema)) continue;
    for (const [target, annotations] of Object.entries(nodeAt(schema, '$Annotations'))) {
      Object.assign(targetIn(document, target), annotations);
    }
    delete schema['$Annotations'];
  }
  return document;
}

function targetIn(document: Node, target: string): Node {
  const [name = '', ...within] = target.split('/');
  const dot = name.lastIndexOf('.');
  const element = nodeAt(nodeAt(document, name.slice(0, dot)), name.slice(dot + 1));
  const [member] = within;
  if (member === undefined) return element;
  // The members of an enumeration are values, beside which their annotations stand.
  if (isNode(element[member])) return element[member];
  throw new Error(`There is no ${target} in the metadata.`);
}

function nodeAt(node: Node, name: string): Node {
  const found = node[name];
  return isNode(found) ? found : {};
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
