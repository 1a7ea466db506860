import type { GatewayError } from '../../../../contract/gateway-error.ts';
import type { BatchRequest } from '../../../payload/batch/batch-request.ts';
import { referencedId } from '../../../payload/batch/reference.ts';
import { createDryRunSource, type DryRunSource } from './dry-run-source.ts';
import type { Outcomes } from './outcome.ts';
import { type Batch, partRequest } from './part-request.ts';
import { demandClient, entityTarget, toGatewayError } from './perform-part.ts';

/** The member of a change set that cannot be carried out, and why. */
export interface Refusal {
  readonly request: BatchRequest;
  readonly error: GatewayError;
}

/**
 * Checks every member of a change set before the first one is sent: URL, permission and body of all of them,
 * and then, where the upstream must be asked, what the entities are now. Nothing is changed.
 *
 * What a member refers to within its change set is not there yet: of that, only what the model says is checked.
 */
export async function rehearseChangeSet(
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

/** Methods that change what is there, so that it has to be: of the first member, nothing is sent before it says so itself. */
const OF_WHAT_IS_THERE: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

interface Rehearsed {
  readonly error?: GatewayError;
  /** What references to the request lead to for the time being. */
  readonly target?: string | undefined;
}

async function dryRun(
  batch: Batch,
  part: BatchRequest,
  outcomes: Outcomes,
  { source, isGuessing, demandsPresence }: DryRunSource & { readonly demandsPresence: boolean },
): Promise<Rehearsed> {
  try {
    demandClient(batch.outer);
    const request = partRequest(batch, part, outcomes);
    return {
      target: entityTarget(batch, request, await batch.service.dryRun(request, source, demandsPresence)),
    };
  } catch (error) {
    // What follows from a guess is not certain. Who may do what is asked before anything is read or changed.
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
