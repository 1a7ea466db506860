import { mapConcurrently } from '../../../../engine/load/map-concurrently.ts';
import type { BatchItem, BatchRequest, ItemAnswer } from '../../../payload/batch/batch-request.ts';
import { referencedId } from '../../../payload/batch/reference.ts';
import { runChangeSet } from './change-set.ts';
import { failedDependency, type Outcome, type Outcomes } from './outcome.ts';
import type { Batch } from './part-request.ts';
import { attemptPart, demandClient, failedAnswer } from './perform-part.ts';

/** How many reads of one batch are under way at a time. */
const MAX_CONCURRENT_READS = 8;

/**
 * Carries out the items of a batch as if one after another (Part 1, 11.7.7.4): reads that stand side by side go
 * together. Unless it is to go on after errors, the first failure is the end: what is behind it is neither
 * carried out nor answered (8.2.8.3), but for what depends on it.
 */
export async function runItems(
  batch: Batch,
  items: readonly BatchItem[],
  continueOnError: boolean,
): Promise<readonly ItemAnswer[]> {
  const outcomes = new Map<string, Outcome>();
  const answers: ItemAnswer[] = [];
  let isStopped = false;
  for (const step of stepsOf(items)) {
    demandClient(batch.outer);
    let stop: number = isStopped ? -1 : step.length;
    const done = await mapConcurrently([...step.entries()], MAX_CONCURRENT_READS, async ([index, item]) => {
      if (index > stop) return undefined;
      const answer = await runItem(batch, item, outcomes);
      if (!continueOnError && hasFailed(answer)) stop = Math.min(stop, index);
      return answer;
    });
    for (const [index, item] of step.entries()) {
      const answer = index > stop ? unmetAnswer(batch, item, outcomes) : done[index];
      if (answer !== undefined) answers.push(answer);
    }
    isStopped = stop < step.length;
  }
  return answers;
}

/** Reads that stand side by side and do not need each other, or one item of another kind. */
function stepsOf(items: readonly BatchItem[]): readonly (readonly BatchItem[])[] {
  const steps: BatchItem[][] = [];
  let reads: BatchItem[] = [];
  let ids = new Set<string>();
  for (const item of items) {
    const isRead = item.kind === 'request' && isSafe(item.request);
    if (!isRead || reads.length === 0 || needsOneOf(item.request, ids)) {
      steps.push([item]);
      reads = isRead ? (steps.at(-1) ?? []) : [];
      ids = new Set();
    } else {
      reads.push(item);
    }
    if (isRead && item.request.id !== undefined) ids.add(item.request.id);
  }
  return steps;
}

function isSafe({ method }: BatchRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function needsOneOf({ url, headers, dependsOn, condition }: BatchRequest, ids: ReadonlySet<string>): boolean {
  const conditions = [headers['if-match'], headers['if-none-match']];
  const named = [referencedId(url), ...dependsOn, ...conditions.map((value) => value?.replace(/^\$/, ''))];
  return condition !== undefined || named.some((id) => id !== undefined && ids.has(id));
}

async function runItem(batch: Batch, item: BatchItem, outcomes: Map<string, Outcome>): Promise<ItemAnswer> {
  if (item.kind === 'changeSet') {
    const result = await runChangeSet(batch, item, outcomes);
    for (const [id, outcome] of result.outcomes) outcomes.set(id, outcome);
    if (item.id !== undefined) outcomes.set(item.id, hasFailed(result.answer) ? FAILED : DONE);
    return result.answer;
  }
  const { request } = item;
  const attempt = await attemptPart(batch, request, outcomes);
  const outcome = attempt.kind === 'done' ? attempt.outcome : FAILED;
  if (request.id !== undefined) outcomes.set(request.id, outcome);
  const answer =
    attempt.kind === 'done'
      ? { request, response: attempt.response }
      : failedAnswer(batch, request, attempt.error);
  return { kind: 'request', answer };
}

/** What depends on something that was not brought about says so, also behind the end. */
function unmetAnswer(batch: Batch, item: BatchItem, outcomes: Outcomes): ItemAnswer | undefined {
  const requests = item.kind === 'request' ? [item.request] : item.requests;
  const own = requests.map(({ id }) => id);
  const needed = requests.flatMap(({ dependsOn }) => dependsOn).filter((id) => !own.includes(id));
  const unmet = needed.find((id) => outcomes.get(id)?.kind !== 'done');
  if (unmet === undefined) return undefined;
  const answers = requests.map((request) => failedAnswer(batch, request, failedDependency(unmet)));
  const [answer] = answers;
  if (item.kind === 'changeSet') return { kind: 'changeSet', id: item.id, answers, failure: answer };
  return answer && { kind: 'request', answer };
}

/** A change set as a whole stands for no entity. */
const DONE: Outcome = { kind: 'done', target: undefined, response: undefined };
const FAILED: Outcome = { kind: 'failed' };

function hasFailed(item: ItemAnswer): boolean {
  return item.kind === 'request' ? item.answer.response.status >= 400 : item.failure !== undefined;
}
