import type { DocumentOperation } from '../model/derive/operations/document-operation.ts';
import { namedOperations } from '../model/derive/operations/operation-names.ts';
import type { Operation } from '../model/operation.ts';
import { documentSource } from '../openapi/document/document-source.ts';
import type { DerivedSource } from './derive-model.ts';

/** An operation as its document has it. */
export interface OperationReport {
  /** The document's operation id; where it has none, the name that the mesh gives. */
  readonly operationId: string;
  /** Such as `GET`. */
  readonly method: string;
  readonly path: string;
  /** The source whose operation it is, where there are several. */
  readonly source: string | undefined;
}

/** Finds the document's operation that one of the model's stands for. */
export type OperationReader = (operation: Operation | undefined) => OperationReport | undefined;

/** Names of operations are unique in the service: both know all of them. */
export interface OperationReaders {
  readonly query: OperationReader;
  readonly mutation: OperationReader;
}

export function operationReader(sources: readonly DerivedSource[]): OperationReader {
  const named = namedOperations(
    sources.map(({ name, description }) => documentSource(name, description.document)),
  );
  const reports = new Map(
    [...named].flatMap(([source, operations]) =>
      operations.map((operation) => [
        operation.id,
        reportOf(operation, sources.length > 1 ? source.name : undefined),
      ]),
    ),
  );
  return (operation) => operation && reports.get(operation.id);
}

function reportOf(
  { id, operationId = id, method, path }: DocumentOperation,
  source: string | undefined,
): OperationReport {
  return { operationId, method: method.toUpperCase(), path, source };
}
