import type { Model } from '../model/edm.ts';
import type { AnswerPath, Operation } from '../model/operation.ts';

/** An operation, and the type of the model that its answer, or each item of it, has. */
export interface Answer {
  readonly operation: Operation;
  /** Where the answer holds it; undefined where the answer is that itself. */
  readonly wrappedIn: AnswerPath | undefined;
  /** The simple name of an entity or a complex type. */
  readonly result: string;
}

/** What the operations of the model answer, as far as it has a structure. */
export function answers(model: Model): readonly Answer[] {
  return [...ofResources(model), ...ofNavigation(model), ...ofCalls(model)];
}

function ofResources({ entitySets, singletons }: Model): readonly Answer[] {
  return [
    ...[...entitySets.values()].flatMap(({ entityType, list, page, read, insert, update }) =>
      answersOf(entityType.name, [list, page, read, insert, update]),
    ),
    ...[...singletons.values()].flatMap(({ entityType, read, update }) =>
      answersOf(entityType.name, [read, update]),
    ),
  ];
}

function ofNavigation({ entityTypes }: Model): readonly Answer[] {
  return [...entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ entityType, origin }) => {
      if (origin.kind === 'embedded') return [];
      if (origin.kind === 'link') return answersOf(entityType, [origin.operation]);
      return origin.places.flatMap(({ list, read, insert, update }) =>
        answersOf(entityType, [list, read, insert, update]),
      );
    });
}

function answersOf(result: string, operations: readonly (Operation | undefined)[]): readonly Answer[] {
  return operations.flatMap((operation) =>
    operation === undefined ? [] : [{ operation, wrappedIn: operation.wrappedIn, result }],
  );
}

function ofCalls({ callables }: Model): readonly Answer[] {
  return callables.flatMap(({ calls, returns, wrappedIn }) =>
    returns === undefined
      ? []
      : calls.map(({ operation }) => ({ operation, wrappedIn, result: returns.type.name })),
  );
}
