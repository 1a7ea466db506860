import { type ErrorDetail, GatewayError } from '../../../../contract/gateway-error.ts';
import { type CompletedChange, compensate } from '../../../../engine/change/compensation.ts';
import { quote } from '../../../../engine/input/mistakes.ts';
import type {
  BatchAnswer,
  BatchItem,
  BatchRequest,
  ItemAnswer,
} from '../../../payload/batch/batch-request.ts';
import { changing } from '../change/changing.ts';
import { type Refusal, rehearseChangeSet } from './dry-run.ts';
import type { Outcome, Outcomes } from './outcome.ts';
import type { Batch } from './part-request.ts';
import { attemptPart, failedAnswer } from './perform-part.ts';

type ChangeSet = BatchItem & { readonly kind: 'changeSet' };

/** A change set's answers, and what has come of each of its members. */
export interface ChangeSetResult {
  readonly answer: ItemAnswer;
  readonly outcomes: Outcomes;
}

/** A member that was carried out, and what it has done. */
interface Member {
  readonly answer: BatchAnswer;
  readonly done: readonly CompletedChange[];
}

/**
 * Carries out a change set (Part 1, 11.7.7.4): all of it or nothing, as far as that can be had.
 *
 * The upstream knows no transactions. So all members are checked before the first is sent, and where one
 * fails all the same, what those before it did is taken back where it can be; the error says what that leaves.
 */
export async function runChangeSet(batch: Batch, set: ChangeSet, before: Outcomes): Promise<ChangeSetResult> {
  const refusal = await rehearseChangeSet(batch, set.requests, before);
  if (refusal !== undefined) return failed(batch, set, refusal, []);
  const outcomes = new Map<string, Outcome>();
  const members: Member[] = [];
  const last = set.requests.at(-1);
  for (const request of set.requests) {
    const done: CompletedChange[] = [];
    // After the last one nothing can fail, so that nothing of what it does is ever taken back.
    const noted = request === last ? batch : noting(batch, done);
    const attempt = await attemptPart(noted, request, new Map([...before, ...outcomes]));
    if (attempt.kind === 'failed') {
      return failed(batch, set, { request, error: attempt.error }, await undoAll(batch, members));
    }
    members.push({ answer: { request, response: attempt.response }, done });
    if (request.id !== undefined) outcomes.set(request.id, attempt.outcome);
  }
  const answers = members.map(({ answer }) => answer);
  return { answer: { kind: 'changeSet', id: set.id, answers, failure: undefined }, outcomes };
}

/** What has become of a member that was carried out before another failed. */
interface Undone {
  readonly request: BatchRequest;
  readonly isUndone: boolean;
}

/** The last is undone first: what came later may depend on what came before. */
async function undoAll(batch: Batch, members: readonly Member[]): Promise<readonly Undone[]> {
  const undone: Undone[] = [];
  for (const member of members.toReversed()) {
    undone.unshift({ request: member.answer.request, isUndone: await undo(batch, member) });
  }
  return undone;
}

/** The batch, whose service notes what a member does. */
function noting(batch: Batch, done: CompletedChange[]): Batch {
  const { performNoting } = batch.service;
  return { ...batch, service: { ...batch.service, perform: (request) => performNoting(request, done) } };
}

/** Takes back what a member has done, in the name and with the permissions of whoever has done it. */
async function undo({ service, outer }: Batch, { done }: Member): Promise<boolean> {
  return done.length > 0 && (await compensate(changing(service, outer), done));
}

function failed(
  batch: Batch,
  { id, requests }: ChangeSet,
  { request, error }: Refusal,
  undone: readonly Undone[],
): ChangeSetResult {
  const details = [...error.details, ...undone.map(undoneDetail)];
  const failure = failedAnswer(batch, request, withDetails(error, details));
  const answers = requests.map((member) => {
    if (member === request) return failure;
    return failedAnswer(batch, member, notApplied(undone.find((each) => each.request === member)));
  });
  const ids = requests.flatMap((member) => member.id ?? []);
  const outcomes = new Map(ids.map((member) => [member, { kind: 'failed' }] as const));
  return { answer: { kind: 'changeSet', id, answers, failure }, outcomes };
}

function withDetails(error: GatewayError, details: readonly ErrorDetail[]): GatewayError {
  const { code, message, target, headers, cause } = error;
  return new GatewayError(code, message, {
    details,
    headers,
    cause,
    ...(target !== undefined && { target }),
  });
}

function undoneDetail({ request, isUndone }: Undone): ErrorDetail {
  const target = request.id ?? request.place;
  const what = isUndone ? 'what it did is taken back' : 'it was carried out and cannot be undone';
  return { code: 'FailedDependency', message: `${quote(target)}: ${what}.`, target };
}

/** JSON Format, 19.5: the members of a failed group are failed, whatever they came to. */
function notApplied(undone: Undone | undefined): GatewayError {
  const message =
    undone === undefined
      ? 'This request was not sent: another one of its group cannot be carried out.'
      : undone.isUndone
        ? 'What this request did is taken back: another one of its group failed.'
        : 'This request was carried out and cannot be undone, but another one of its group failed.';
  return new GatewayError('FailedDependency', message);
}
