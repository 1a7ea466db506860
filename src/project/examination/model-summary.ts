import type { ModelSummary } from '../../contract/api-report.ts';
import { type PlaceFinder, shownPlace } from '../../document/written-place.ts';
import type { EntitySet, Model } from '../../model/edm.ts';
import type { Finding } from '../../model/from-openapi.ts';
import type { Callable } from '../../model/operation.ts';
import { operationsOf } from './operation-resources.ts';

/** What a model has of one of its sources, and what is left out of it. */
export function summarizeModel(
  model: Model,
  findings: readonly Finding[],
  source: string,
  placeOf: PlaceFinder,
): ModelSummary {
  const callables = (kind: Callable['kind']): readonly string[] => [
    ...new Set(
      model.callables
        .filter((each) => each.kind === kind && each.calls.some(({ operation }) => isOf(operation, source)))
        .map(({ name }) => name),
    ),
  ];
  return {
    entitySets: [...model.entitySets.values()]
      .filter((set) => Object.values(operationsOf(set)).some((operation) => isOf(operation, source)))
      .map(summarizeSet),
    singletons: [...model.singletons.values()]
      .filter(({ read }) => isOf(read, source))
      .map(({ name }) => name),
    functions: callables('function'),
    actions: callables('action'),
    leftOut: findings
      .filter((finding) => finding.source === source)
      .map(({ severity, pointer, message }) => ({ severity, ...shownPlace(placeOf(pointer)), message })),
  };
}

function isOf(operation: { readonly source?: string } | undefined, source: string): boolean {
  return operation?.source === source;
}

function summarizeSet(set: EntitySet): ModelSummary['entitySets'][number] {
  const operations = Object.entries(operationsOf(set)).flatMap(([name, operation]) =>
    operation === undefined ? [] : [name],
  );
  return { name: set.name, type: set.entityType.name, key: set.entityType.key, operations };
}
