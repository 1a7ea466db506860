import type { Verdict } from '../contract/parameter-trust.ts';
import { planText } from '../engine/plan/plan-text.ts';
import { type ListFacts, type PlannedRead, planRead } from '../engine/plan/read-plan.ts';
import { prepareCollection } from '../engine/read/prepare-query.ts';
import type { RelatedCondition } from '../engine/resource/load-context.ts';
import type { ReadNeeds } from '../engine/resource/read-needs.ts';
import type { CollectionResource } from '../engine/resource/resource.ts';
import type { QueryOptions } from '../engine/tree/query-tree.ts';
import type { Model } from '../model/model.ts';
import { bindResource } from './operations/bind/bind-resource.ts';
import { countOptions } from './operations/handlers/read/read-collection.ts';
import { limitsOf } from './operations/service/service.ts';
import { parseRequestTarget } from './url/request-target.ts';

/**
 * Describes the calls for a URL below the service root, without making any: those of a new service, and those
 * after list parameters have been proved. `model` is the part that the client may see.
 */
export function explainQuery(model: Model, url: string): string {
  const limits = limitsOf(undefined);
  const target = url.startsWith('/') ? url : `/${url}`;
  const { path, options } = parseRequestTarget(target.replaceAll(' ', '%20'), limits.url);
  const resource = bindResource({ model, limits }, path, options);
  if (resource.kind === 'collection') return collectionPlans(model, resource, options);
  if (resource.kind === 'count' && resource.of.kind === 'collection') {
    const { orderBy: _, skip: __, expand: ___, ...counted } = countOptions(resource, options);
    return collectionPlans(model, resource.of, { ...counted, select: [], top: 0, count: true });
  }
  if (resource.kind === 'entity') return 'One read by key.\n';
  return 'No list is read.\n';
}

function collectionPlans(model: Model, collection: CollectionResource, options: QueryOptions): string {
  const { origin, entityType } = collection;
  const limits = limitsOf(undefined);
  const { needs, joined } = prepareCollection({ model, limits }, collection, options).wanted;
  const operations = origin.kind === 'operations' ? origin.operations : undefined;
  const list = operations?.list ?? operations?.page;
  if (needs === undefined || operations === undefined || list === undefined)
    return 'No list of an entity set is read.\n';
  const planWith = (verdict: Verdict) => planOf(needs, { list, entityType, read: operations.read }, verdict);
  const declared = Object.entries(needs.pushed?.arguments ?? {}).map(
    ([name, value]) => `${name}=${String(value)}`,
  );
  const untried = planText(planWith('unsafe').plan);
  const proved = planText(planWith('proved').plan);
  const lines = [
    `Plan: ${untried}`,
    ...(needs.pushed?.goesOn === true ? ['The answer may begin with the first page of the list.'] : []),
    ...(declared.length > 0 ? [`Declared by the document: ${declared.join(', ')}`] : []),
    ...(proved === untried ? [] : [`Once its parameters have proved what they do: ${proved}`]),
    ...(joined?.conditions ?? []).map(relatedPlan),
  ];
  return `${lines.join('\n')}\n`;
}

/** The plan of a list whose length is not known. */
function planOf(
  needs: ReadNeeds,
  { list, ...operations }: Pick<ListFacts, 'list' | 'entityType' | 'read'>,
  verdict: Verdict,
): PlannedRead {
  const facts = { list, ...operations, estimate: undefined, given: [], isJoint: list.fixed !== undefined };
  return planRead(needs, { ...facts, verdictOf: () => verdict });
}

function relatedPlan({ name, own, needs, entityType, operations }: RelatedCondition): string {
  const first = `If that takes fewer calls, the condition on ${name} is asked first, and its keys are values of ${own}`;
  if (needs === undefined) return first;
  const { list, read } = operations;
  const text = planText(planOf(needs, { list, entityType, read }, 'proved').plan);
  return `${first}: ${text}`;
}
