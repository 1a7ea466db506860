import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { CONCURRENT_CALLS, mapConcurrently } from '../../../../core/work.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import {
  type BatchForm,
  type BatchItem,
  type BatchRequest,
  batchForm,
  type ItemAnswer,
  malformedBatch,
  negotiateBatchForm,
  partTarget,
  referencedId,
  type ServicePlace,
} from '../../../payload/batch/batch-request.ts';
import { readJsonBatch } from '../../../payload/batch/read-json.ts';
import { readMultipartBatch } from '../../../payload/batch/read-multipart.ts';
import { writeJsonBatch, writeMultipartBatch } from '../../../payload/batch/write-batch.ts';
import { assertNoCoding } from '../../../payload/negotiation/media-content.ts';
import { parsePreferences } from '../../../payload/negotiation/preference.ts';
import { appliedHeaders, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { runChangeSet } from './change-set.ts';
import {
  assertClient,
  attemptPart,
  type Batch,
  failedAnswer,
  failedDependency,
  type Outcome,
  type Outcomes,
  partDefaults,
} from './perform-part.ts';

/**
 * Executes the requests of a batch (Part 1, 11.7) like separate requests. A batch that cannot be parsed is
 * rejected as a whole; other errors belong to single requests. By default, JSON batches continue after a
 * failure (JSON Format, 19.4), and multipart batches stop (Part 1, 11.7.7.5).
 */
export function runBatch(service: Service, { format }: QueryOptions): RequestHandler {
  return async (outer, version) => {
    const { headers } = outer;
    const requested = batchForm(headers['content-type']);
    const form = negotiateBatchForm(format, headers['accept'], requested, version);
    const items = readBatch(requested, outer, service);
    const defaults = partDefaults(outer, format, form, version);
    const preferences = parsePreferences(headers['prefer']);
    const { continueOnError } = preferences;
    const continues = continueOnError ?? requested === 'json';
    const answers = await runItems({ service, outer, defaults }, items, continues);
    const { contentType, body } = form === 'json' ? writeJsonBatch(answers) : writeMultipartBatch(answers);
    const applied = continueOnError === undefined ? {} : appliedHeaders(preferences, ['continue-on-error']);
    return success(version, contentType, body, applied);
  };
}

/** Parses the batch, with URLs relative to the service root. Throws parse errors before anything is sent. */
function readBatch(
  form: BatchForm,
  outer: BudgetedRequest,
  { root, limits }: Pick<Service, 'root' | 'limits'>,
): readonly BatchItem[] {
  const { body = new Uint8Array(), headers } = outer;
  const { requests } = limits.batch;
  assertNoCoding(headers);
  const items =
    form === 'json'
      ? readJsonBatch(body, requests)
      : readMultipartBatch(body, headers['content-type'] ?? '', requests);
  const place = { root, host: headers['host'] };
  const admit = (request: BatchRequest): BatchRequest => {
    assertNoOtherCredentials(request, headers);
    return withTarget(request, place);
  };
  return items.map((item) => {
    if (item.kind === 'request') return { ...item, request: admit(item.request) };
    return { ...item, requests: item.requests.map(admit) };
  });
}

/** An invalid URL fails only its own request (Part 1, 11.7). */
function withTarget(request: BatchRequest, place: ServicePlace): BatchRequest {
  try {
    const url = partTarget(request, place);
    if (BATCH.test(url.replace(/%[4-7][\da-f]/gi, decodeURIComponent)))
      throw malformedBatch(request.place, 'no batch in a batch', '$batch');
    return { ...request, url };
  } catch (error) {
    if (error instanceof GatewayError) return { ...request, refusal: error };
    throw error;
  }
}

const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'] as const;

/**
 * Rejects parts with credentials (Part 1, 11.7.7.1), unless they repeat those of the batch: otherwise a part
 * would run with a principal that the client does not intend.
 */
function assertNoOtherCredentials({ headers, place }: BatchRequest, outer: BudgetedRequest['headers']): void {
  const name = CREDENTIALS.find((each) => headers[each] !== undefined && headers[each] !== outer[each]);
  if (name !== undefined) throw malformedBatch(place, 'no credentials but those of the batch', name);
}

const BATCH = /^\/(?:\$|%24)batch\/?(?:\?|$)/;

/**
 * Executes the items as if one after another (Part 1, 11.7.7.4); adjacent reads run concurrently. Unless the
 * client asked to continue on errors, execution stops after the first failure (8.2.8.3), except for items
 * that report an unmet dependency.
 */
async function runItems(
  batch: Batch,
  items: readonly BatchItem[],
  continueOnError: boolean,
): Promise<readonly ItemAnswer[]> {
  const outcomes = new Map<string, Outcome>();
  const answers: ItemAnswer[] = [];
  let isStopped = false;
  for (const step of stepsOf(items)) {
    assertClient(batch.outer);
    let stop: number = isStopped ? -1 : step.length;
    const done = await mapConcurrently([...step.entries()], CONCURRENT_CALLS, async ([index, item]) => {
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

/** Groups adjacent independent reads; other items form groups of one. */
function stepsOf(items: readonly BatchItem[]): readonly (readonly BatchItem[])[] {
  const steps: BatchItem[][] = [];
  let reads: BatchItem[] = [];
  let ids = new Set<string>();
  for (const item of items) {
    const isRead =
      item.kind === 'request' && (item.request.method === 'GET' || item.request.method === 'HEAD');
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

/** The response for an item whose dependency failed, even after the batch has stopped. */
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

/** A change set refers to no entity. */
const DONE: Outcome = { kind: 'done', target: undefined, response: undefined };
const FAILED: Outcome = { kind: 'failed' };

function hasFailed(item: ItemAnswer): boolean {
  return item.kind === 'request' ? item.answer.response.status >= 400 : item.failure !== undefined;
}
