import type { OpenApiDocument } from '../document/openapi-version.ts';
import { type DocumentOperation, documentOperations } from '../model/from-openapi/document-operation.ts';
import { documentSource } from '../model/from-openapi/document-source.ts';
import type { Operation } from '../model/operation.ts';

/** An operation as the document has it. */
export interface OperationReport {
  /** The document's operation id; where it has none, the name that the mesh gives. */
  readonly operationId: string;
  /** Such as `GET`. */
  readonly method: string;
  readonly path: string;
}

/** Finds the document's operation that one of the model's stands for. */
export type OperationReader = (operation: Operation | undefined) => OperationReport | undefined;

export interface OperationReaders {
  /** The mesh keeps queries and mutations apart, so that a GET may have the name of another operation. */
  readonly query: OperationReader;
  readonly mutation: OperationReader;
}

export function operationReaders(name: string, document: OpenApiDocument): OperationReaders {
  const operations = documentOperations(documentSource(name, document));
  const gets = operations.filter(({ method }) => method === 'get');
  const others = operations.filter(({ method }) => method !== 'get');
  // Each knows all of them, its own first: an extension may make a function of a POST.
  return { query: readerOf([...others, ...gets]), mutation: readerOf([...gets, ...others]) };
}

function readerOf(operations: readonly DocumentOperation[]): OperationReader {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return (operation) => {
    const found = operation && byId.get(operation.id);
    return (
      found && {
        operationId: found.operationId ?? found.id,
        method: found.method.toUpperCase(),
        path: found.path,
      }
    );
  };
}
