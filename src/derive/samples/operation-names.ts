import { meshName, meshNameOfPath } from '../../model/mesh-name.ts';
import { type DocumentSource, isReadable, quote } from '../../openapi/document/document-source.ts';
import {
  type DocumentOperation,
  documentOperations,
  type UnnamedOperation,
} from '../operations/document-operation.ts';
import { withInferredAnswers } from './inferred-answers.ts';

/**
 * The operations of each document, under names that no other operation of the service has. The mesh and
 * the model both take them from here, so that they call each operation alike.
 *
 * An operation keeps the `operationId` of its document where GraphQL can have that for a name and no
 * earlier operation has it; one without is named after its path. Which names others get is reported.
 */
export function namedOperations(
  sources: readonly DocumentSource[],
): ReadonlyMap<DocumentSource, readonly DocumentOperation[]> {
  const owners = new Map<string, Owner>();
  return new Map(
    sources.map((source) => [
      source,
      isReadable(source)
        ? nameOperations(source, withInferredAnswers(source, documentOperations(source)), owners)
        : [],
    ]),
  );
}

interface Owner {
  readonly source: DocumentSource;
  readonly operation: UnnamedOperation;
}

function nameOperations(
  source: DocumentSource,
  operations: readonly UnnamedOperation[],
  owners: Map<string, Owner>,
): readonly DocumentOperation[] {
  const names = new Map<UnnamedOperation, string>();
  const give = (operation: UnnamedOperation, name: string): void => {
    names.set(operation, name);
    owners.set(name, { source, operation });
  };
  // A name that has to be made must not take one that another operation has of itself.
  for (const operation of operations) {
    const { operationId } = operation;
    if (operationId !== undefined && isUsable(operationId) && !owners.has(operationId)) {
      give(operation, operationId);
    }
  }
  for (const operation of operations) {
    if (!names.has(operation)) give(operation, freeName(source, operation, owners));
  }
  return operations.map((operation) => ({ ...operation, id: names.get(operation) ?? '' }));
}

function isUsable(operationId: string): boolean {
  return meshName(operationId) === operationId;
}

function freeName(
  source: DocumentSource,
  operation: UnnamedOperation,
  owners: ReadonlyMap<string, Owner>,
): string {
  const { operationId, method, path } = operation;
  const ofPath = meshNameOfPath(method, path);
  const wanted = operationId === undefined ? ofPath : meshName(operationId);
  const owner = owners.get(wanted);
  if (owner === undefined) return wanted;
  const choices = [...(owner.source === source ? [ofPath] : []), `${source.name}_${wanted}`];
  const name = choices.find((choice) => !owners.has(choice)) ?? numbered(wanted, owners);
  const { severity, place } = describe(source, owner);
  const message = `The operation is named ${name} in GraphQL: ${quote(operationId ?? wanted)} also names ${place}`;
  source.report(severity, operation.node.pointer, message);
  return name;
}

function numbered(name: string, owners: ReadonlyMap<string, Owner>): string {
  for (let number = 2; ; number += 1) {
    if (!owners.has(`${name}_${number}`)) return `${name}_${number}`;
  }
}

/**
 * OpenAPI 3.1, 4.8.10.1: an operation id is unique among all operations of its document. Where it is not, each of them is
 * served nevertheless.
 */
function describe(source: DocumentSource, { source: other, operation }: Owner) {
  const place = `${operation.method.toUpperCase()} ${operation.path}`;
  return source === other
    ? ({ severity: 'warning', place } as const)
    : ({ severity: 'info', place: `${place} of ${other.name}` } as const);
}
