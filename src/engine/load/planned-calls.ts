import type { Arguments, JointLists } from '../../contract/entity-source.ts';
import type { ParameterUse, Verdict } from '../../contract/parameter-trust.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ListOperation, Operation, PagedListOperation } from '../../model/operation.ts';
import { isSplit } from '../plan/chosen-arguments.ts';
import { type ListFacts, type PlannedRead, planRead, type ReadPlan } from '../plan/read-plan.ts';
import type { LoadContext } from '../resource/load-context.ts';
import type { ReadNeeds } from '../resource/read-needs.ts';
import type { CollectionResource } from '../resource/resource.ts';

/** A list as it is called without any option of a query. */
export interface CalledList {
  readonly list: ListOperation;
  readonly page: PagedListOperation | undefined;
  readonly read: Operation | undefined;
  readonly args: Arguments;
  readonly lists: JointLists | undefined;
}

/** Plans the read; uses of parameters that would spare calls are tried out before, if they are open. */
export async function provedPlan(
  { service, context }: LoadContext,
  collection: CollectionResource,
  called: CalledList,
  needs: ReadNeeds,
): Promise<ReadPlan> {
  const { trust, source } = service;
  const operation = calledOperation(called, needs);
  const chosen = { ...called, chosen: needs.chosen };
  const facts = () => factsOf(service, collection.entityType, chosen, operation, context);
  let planned = planRead(needs, facts());
  const { resource, entityType } = collection;
  const tried = { resource, entityType, operation, arguments: called.args };
  for (let [open] = planned.open; trust !== undefined && open !== undefined; [open] = planned.open) {
    if ((await trust.prove(source, tried, open, context)) === 'open') break;
    planned = planRead(needs, facts());
  }
  return planned.plan;
}

/** The plan that a read would have now, without any call. */
export function plannedRead(
  { service, context }: LoadContext,
  entityType: EntityType,
  called: Pick<CalledList, 'list' | 'page' | 'read'>,
  needs: ReadNeeds,
): PlannedRead {
  const operation = calledOperation(called, needs);
  const chosen = { ...called, args: {}, chosen: needs.chosen };
  return planRead(needs, factsOf(service, entityType, chosen, operation, context));
}

function factsOf(
  { source, trust }: LoadContext['service'],
  entityType: EntityType,
  { list, read, args, chosen }: Pick<CalledList, 'list' | 'read' | 'args'> & Pick<ReadNeeds, 'chosen'>,
  operation: ListOperation,
  context: LoadContext['context'],
): ListFacts {
  const isJoint = list.fixed !== undefined || isSplit(list, chosen);
  const known = new Map<string, Verdict>();
  // One plan is one use of a parameter, however often it looks at the verdict.
  const verdictOf = (use: ParameterUse): Verdict => {
    if (trust === undefined) return 'unsafe';
    const name = useName(use);
    const verdict = known.get(name) ?? trust.verdict(operation, use, context);
    known.set(name, verdict);
    return verdict;
  };
  const estimate = source.estimateOf?.(operation);
  const given = Object.keys(args);
  return { list: operation, entityType, read, estimate, given, isJoint, verdictOf };
}

/** Names a use within one plan. */
function useName(use: ParameterUse): string {
  if (use.kind === 'order') return 'order';
  const { parameter, member, path, form } = use.parameter;
  return JSON.stringify([use.kind, parameter.name, member, path, form, use.values.map(String)]);
}

/** The operation that is called: that of pages where it takes arguments of the query. */
export function calledOperation(
  { list, page }: Pick<CalledList, 'list' | 'page'>,
  { pushed }: Pick<ReadNeeds, 'pushed'>,
): ListOperation {
  if (page === undefined || page.id === list.id) return page ?? list;
  return pushed !== undefined && Object.keys(pushed.arguments).length > 0 ? page : list;
}
