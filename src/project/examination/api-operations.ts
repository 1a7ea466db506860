import type { ApiOperation } from '../../contract/api-report.ts';
import { namedOperations } from '../../model/derive/operations/operation-names.ts';
import type { Model } from '../../model/model.ts';
import {
  type DocumentNode,
  isObjectNode,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, documentSource, resolve } from '../../openapi/document/document-source.ts';
import { operationResources } from '../plan/operation-resources.ts';

/** All operations of a document, also those that are not served. TRACE would show what the gateway sends. */
const METHODS: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

/** The operations of a source's document, in its order, and what of the model they serve. */
export function apiOperations(name: string, document: unknown, model: Model): readonly ApiOperation[] {
  const source = documentSource(name, document);
  const resources = operationResources(model);
  const served = new Map(
    (namedOperations([source]).get(source) ?? []).map(({ node, id }) => [node.pointer, id]),
  );
  return documentedOperations(source).map(({ method, path, node }) => {
    const id = served.get(node.pointer);
    return {
      id: text(member(node, 'operationId')) ?? id ?? `${method} ${path}`,
      method,
      path,
      summary: text(member(node, 'summary')) ?? '',
      resource: (id && resources.get(id)) ?? null,
    };
  });
}

interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly node: DocumentNode;
}

function documentedOperations(source: DocumentSource): readonly DocumentedOperation[] {
  return members(member(source.root, 'paths'))
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) =>
      members(resolve(source, item))
        .filter(([method, node]) => METHODS.has(method) && isObjectNode(node))
        .map(([method, node]) => ({ method: method.toUpperCase(), path, node })),
    );
}
