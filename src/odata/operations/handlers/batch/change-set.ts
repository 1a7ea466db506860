import type { EntitySource, StreamSnapshot } from '../../../../contract/entity-source.ts';
import { type ErrorDetail, GatewayError } from '../../../../contract/gateway-error.ts';
import type { Row, Value } from '../../../../contract/row.ts';
import { type CompletedChange, compensate } from '../../../../engine/change/compensation.ts';
import { quote } from '../../../../engine/input/mistakes.ts';
import type { EntityType } from '../../../../model/edm.ts';
import {
  type BatchAnswer,
  type BatchItem,
  type BatchRequest,
  type ItemAnswer,
  referencedId,
} from '../../../payload/batch/batch-request.ts';
import { changing } from '../change/change-context.ts';
import { executionOrder } from './execution-order.ts';
import {
  assertClient,
  attemptPart,
  type Batch,
  entityTarget,
  failedAnswer,
  type Outcome,
  type Outcomes,
  partRequest,
  toGatewayError,
} from './perform-part.ts';

type ChangeSet = BatchItem & { readonly kind: 'changeSet' };

/** The responses of a change set and the outcome of each member. */
interface ChangeSetResult {
  readonly answer: ItemAnswer;
  readonly outcomes: Outcomes;
}

/** A member that was executed, with its changes. */
interface Member {
  readonly answer: BatchAnswer;
  readonly done: readonly CompletedChange[];
}

/**
 * Executes a change set (Part 1, 11.7.7.4): all of it or nothing, as far as possible.
 *
 * Upstreams have no transactions. So all members are checked before the first is sent, and if one fails
 * nevertheless, the changes of earlier members are undone where possible; the error describes what remains.
 */
export async function runChangeSet(batch: Batch, set: ChangeSet, before: Outcomes): Promise<ChangeSetResult> {
  const requests = executionOrder(set.requests);
  const refusal = await rehearseChangeSet(batch, requests, before);
  if (refusal !== undefined) return failed(batch, set, refusal, []);
  const outcomes = new Map<string, Outcome>();
  const members: Member[] = [];
  const last = requests.at(-1);
  for (const request of requests) {
    const done: CompletedChange[] = [];
    // The changes of the last member are not recorded, because nothing can fail after it.
    const noted = request === last ? batch : noting(batch, done);
    const attempt = await attemptPart(noted, request, new Map([...before, ...outcomes]));
    if (attempt.kind === 'failed') {
      return failed(batch, set, { request, error: attempt.error }, await undoAll(batch, members));
    }
    members.push({ answer: { request, response: attempt.response }, done });
    if (request.id !== undefined) outcomes.set(request.id, attempt.outcome);
  }
  const answers = set.requests.flatMap(
    (request) => members.find(({ answer }) => answer.request === request)?.answer ?? [],
  );
  return { answer: { kind: 'changeSet', id: set.id, answers, failure: undefined }, outcomes };
}

/** The result of undoing a member after another failed. */
interface Undone {
  readonly request: BatchRequest;
  readonly isUndone: boolean;
}

/** In reverse order, because later changes may depend on earlier ones. */
async function undoAll(batch: Batch, members: readonly Member[]): Promise<readonly Undone[]> {
  const undone: Undone[] = [];
  for (const member of members.toReversed()) {
    undone.unshift({ request: member.answer.request, isUndone: await undo(batch, member) });
  }
  return undone;
}

/** A batch whose service records the changes of a member. */
function noting(batch: Batch, done: CompletedChange[]): Batch {
  const { dispatchTracked } = batch.service;
  return { ...batch, service: { ...batch.service, dispatch: (request) => dispatchTracked(request, done) } };
}

/** Undoes a member with the permissions of the client. */
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
  const what = isUndone ? 'what it did is undone' : 'it was carried out and cannot be undone';
  return { code: 'FailedDependency', message: `${quote(target)}: ${what}.`, target };
}

/** JSON Format, 19.5: all members of a failed group are reported as failed. */
function notApplied(undone: Undone | undefined): GatewayError {
  const message =
    undone === undefined
      ? 'This request was not sent: another one in its group cannot be carried out.'
      : undone.isUndone
        ? 'What this request did has been undone: another one in its group failed.'
        : 'This request was carried out and cannot be undone, but another one in its group failed.';
  return new GatewayError('FailedDependency', message);
}

/** A member that failed the check, with its error. */
interface Refusal {
  readonly request: BatchRequest;
  readonly error: GatewayError;
}

/**
 * Checks all members before the first is sent: URL, permission and body, and then, if it depends on the
 * upstream, the current state of the entities. Changes nothing.
 *
 * References to entities that the change set creates are checked against the model only.
 */
async function rehearseChangeSet(
  batch: Batch,
  requests: readonly BatchRequest[],
  before: Outcomes,
): Promise<Refusal | undefined> {
  const outcomes = new Map(before);
  const unread: BatchRequest[] = [];
  for (const request of requests) {
    const source = createDryRunSource(undefined);
    const { error, target } = await dryRun(batch, request, outcomes, { ...source, demandsPresence: false });
    if (error !== undefined) return { request, error };
    const isDemanded = OF_WHAT_IS_THERE.has(request.method) && request !== requests[0];
    const isToBeRead = source.hasGuessedRead() || isDemanded;
    if (isToBeRead && !refersToRehearsed(request, outcomes)) unread.push(request);
    if (request.id !== undefined) outcomes.set(request.id, { kind: 'rehearsed', target });
  }
  for (const request of unread) {
    const source = { ...createDryRunSource(batch.service.source), demandsPresence: true };
    const { error } = await dryRun(batch, request, outcomes, source);
    if (error !== undefined) return { request, error };
  }
  return undefined;
}

/**
 * Methods for existing entities. The first member needs no check for existence, because the upstream reports
 * it before anything is changed.
 */
const OF_WHAT_IS_THERE: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

interface Rehearsed {
  readonly error?: GatewayError;
  /** The temporary target of references to the request. */
  readonly target?: string | undefined;
}

async function dryRun(
  batch: Batch,
  part: BatchRequest,
  outcomes: Outcomes,
  { source, isGuessing, demandsPresence }: DryRunSource & { readonly demandsPresence: boolean },
): Promise<Rehearsed> {
  try {
    assertClient(batch.outer);
    const request = partRequest(batch, part, outcomes);
    return {
      target: entityTarget(batch, request, await batch.service.dryRun(request, source, demandsPresence)),
    };
  } catch (error) {
    // Results that follow from made-up data are ignored. Permissions are checked before.
    if (isGuessing()) return { target: part.method === 'POST' ? undefined : part.url };
    return { error: toGatewayError(batch, error) };
  }
}

function refersToRehearsed({ url, body }: BatchRequest, outcomes: Outcomes): boolean {
  const text = body === undefined ? '' : Buffer.from(body).toString('latin1');
  return [...outcomes].some(
    ([id, { kind }]) => kind === 'rehearsed' && (referencedId(url) === id || text.includes(`"$${id}`)),
  );
}

/** A source that changes nothing, for checking changes. */
interface DryRunSource {
  readonly source: EntitySource;
  /** Whether a response was made up, so that its consequences mean nothing. */
  readonly isGuessing: () => boolean;
  /** Whether a read was made up, on which the change may depend. */
  readonly hasGuessedRead: () => boolean;
}

/** Reads from the given source, or makes up results without one. */
function createDryRunSource(reads: EntitySource | undefined): DryRunSource {
  let changes = 0;
  let guessedReads = 0;
  const guessed = async <Answer>(answer: Answer): Promise<Answer> => {
    if (changes === 0) guessedReads += 1;
    return answer;
  };
  const found = <Answer>(
    ask: (source: EntitySource) => Promise<Answer>,
    otherwise: Answer,
  ): Promise<Answer> => (reads === undefined ? guessed(otherwise) : ask(reads));
  const changed = async <Answer>(answer: Answer): Promise<Answer> => {
    changes += 1;
    return answer;
  };
  const source: EntitySource = {
    readCollection: (read, call) =>
      found((asked) => asked.readCollection(read, call), { data: [], version: undefined }),
    readChanges: (read, call) =>
      found((asked) => asked.readChanges(read, call), { changed: [], removed: [], next: '' }),
    readEntity: (read, call) =>
      found((asked) => asked.readEntity(read, call), { data: madeUp(read), version: undefined }),
    readStream: (read, call) =>
      read.kind === 'stream' ? found((asked) => asked.readStream(read, call), ABSENT) : guessed(ABSENT),
    insert: (insert) => changed(madeUp(insert)),
    update: (update) => changed(madeUp(update)),
    delete: () => changed(undefined),
    call: () => changed({ data: null, version: undefined }),
    writeStream: () => changed({ etag: undefined }),
    deleteStream: () => changed(undefined),
  };
  return {
    source,
    isGuessing: () => changes + guessedReads > 0,
    hasGuessedRead: () => guessedReads > 0,
  };
}

const ABSENT: StreamSnapshot = { kind: 'absent', etag: undefined };

interface SampleRead {
  readonly entityType: EntityType;
  readonly properties: readonly string[];
}

/** A row of nulls with an arbitrary key, because URLs contain the key. */
function madeUp({ entityType: { key, structuralProperties }, properties }: SampleRead): Row {
  const values = properties.map((name): [string, Value] => {
    const type = key.includes(name) ? structuralProperties.get(name)?.type : undefined;
    return [name, type === undefined ? null : (SAMPLES.get(type.name) ?? '0')];
  });
  return Object.fromEntries(values);
}

const SAMPLES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['Edm.Boolean', false],
  ['Edm.Byte', 0],
  ['Edm.Date', '2000-01-01'],
  ['Edm.DateTimeOffset', '2000-01-01T00:00:00Z'],
  ['Edm.Decimal', 0],
  ['Edm.Double', 0],
  ['Edm.Duration', 'PT0S'],
  ['Edm.Guid', '00000000-0000-0000-0000-000000000000'],
  ['Edm.Int16', 0],
  ['Edm.Int32', 0],
  ['Edm.Int64', 0],
  ['Edm.SByte', 0],
  ['Edm.Single', 0],
  ['Edm.TimeOfDay', '00:00:00'],
]);
