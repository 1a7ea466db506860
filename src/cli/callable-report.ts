import type { Callable, TypeUse } from '../model/edm.ts';
import type { OperationReader, OperationReport } from './operation-report.ts';

export interface CallableReport {
  readonly name: string;
  /** What it is bound to, such as `Collection(Item)`. */
  readonly boundTo: string | undefined;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly optional: boolean;
  }[];
  readonly returns: string | undefined;
  readonly calls: readonly OperationReport[];
}

export function callableReport(callable: Callable, read: OperationReader): CallableReport {
  const { name, binding, parameters, returns, calls } = callable;
  return {
    name,
    boundTo:
      binding && (binding.collection ? `Collection(${binding.entityType.name})` : binding.entityType.name),
    parameters: parameters.map((each) => ({
      name: each.name,
      type: writeType(each),
      optional: each.optional,
    })),
    returns: returns && writeType(returns),
    calls: calls.flatMap(({ operation }) => read(operation) ?? []),
  };
}

function writeType({ type, collection }: TypeUse): string {
  return collection ? `Collection(${type.name})` : type.name;
}
