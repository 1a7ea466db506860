import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import { handedOn } from '../../../../contract/handed-on.ts';
import type { BatchRequest } from '../../../payload/batch/batch-request.ts';
import { referencedId, resolveBodyReferences, resolveReference } from '../../../payload/batch/reference.ts';
import type { Service } from '../../service/service.ts';
import { demandCondition } from './condition.ts';
import { failedDependency, type Outcome, type Outcomes } from './outcome.ts';
import { partPreferences } from './part-defaults.ts';

/** One batch while it is carried out. */
export interface Batch {
  readonly service: Service;
  /** The request that has brought it: who asks, and until when. */
  readonly outer: BudgetedRequest;
  /** Header fields of requests that do not have them. */
  readonly defaults: Readonly<Record<string, string>>;
}

/**
 * The request of a part: under the principal of the batch, with references in the place of which is what they
 * refer to (Part 1, 11.7.4 and 11.7.5). FailedDependency where there is no such thing.
 */
export function partRequest(
  { service, outer, defaults }: Batch,
  part: BatchRequest,
  outcomes: Outcomes,
): BudgetedRequest {
  if (part.refusal !== undefined) throw part.refusal;
  const unmet = part.dependsOn.find((id) => (outcomes.get(id)?.kind ?? 'failed') === 'failed');
  if (unmet !== undefined) throw failedDependency(unmet);
  if (part.condition !== undefined) demandCondition(service, part.condition, outcomes, outer.budget);
  const { id, principal, signal, budget } = outer;
  const headers = { ...defaults, ...part.headers };
  return {
    id,
    handedOn: handedOn(id, headers, outer.headers),
    principal,
    signal,
    budget,
    method: part.method === 'HEAD' ? 'GET' : part.method,
    target: resolveTarget(part.url, outcomes),
    headers: { ...resolveConditions(headers, outcomes), ...partPreferences(headers['prefer']) },
    body: resolveBody(part, service.root, outcomes),
  };
}

function resolveTarget(url: string, outcomes: Outcomes): string {
  const target = entityTarget(referencedId(url), outcomes);
  return target === undefined ? url : resolveReference(url, target);
}

/** Where the entity is that a request has created or was about; undefined where the id is none of a request. */
function entityTarget(id: string | undefined, outcomes: Outcomes): string | undefined {
  const outcome = id === undefined ? undefined : outcomes.get(id);
  if (id === undefined || outcome === undefined) return undefined;
  if (outcome.kind === 'failed' || outcome.target === undefined) throw failedDependency(id);
  return outcome.target;
}

function resolveBody(
  { body, headers }: BatchRequest,
  root: string,
  outcomes: Outcomes,
): Uint8Array | undefined {
  if (body === undefined || !headers['content-type']?.includes('json')) return body;
  // Byte for byte, so that what is not UTF-8 stays as it is.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const resolved = resolveBodyReferences(text, (url) => {
    const target = entityTarget(referencedId(url), outcomes);
    return target === undefined ? undefined : root + resolveReference(url, target);
  });
  return resolved === text ? body : Buffer.from(resolved, 'latin1');
}

const CONDITIONS = ['if-match', 'if-none-match'] as const;

/** `If-Match: $1` asks for the entity to be as the answer to that request has it (11.7.5). */
function resolveConditions(
  headers: Readonly<Record<string, string>>,
  outcomes: Outcomes,
): Readonly<Record<string, string | undefined>> {
  const resolved = CONDITIONS.flatMap((name) => {
    const id = headers[name]?.startsWith('$') ? headers[name].slice(1) : undefined;
    const outcome = id === undefined ? undefined : outcomes.get(id);
    return id === undefined || outcome === undefined ? [] : [[name, entityTag(id, outcome)] as const];
  });
  return resolved.length === 0 ? headers : { ...headers, ...Object.fromEntries(resolved) };
}

function entityTag(id: string, outcome: Outcome): string | undefined {
  if (outcome.kind === 'rehearsed') return undefined;
  const tag = outcome.kind === 'done' ? outcome.response?.headers['etag'] : undefined;
  if (tag === undefined) throw failedDependency(id);
  return tag;
}
