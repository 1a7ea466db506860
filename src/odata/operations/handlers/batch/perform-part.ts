import {
  type BudgetedRequest,
  type GatewayResponse,
  handedOn,
  isStreamBody,
  type WholeResponse,
  wholeResponse,
} from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { RequestBudget } from '../../../../contract/request-budget.ts';
import { ExactNumber } from '../../../../core/exact-number.ts';
import { finished } from '../../../../core/work.ts';
import { isInputObject, quote } from '../../../../engine/input/mistakes.ts';
import { compileValueCount } from '../../../../engine/pipeline/compile-query.ts';
import {
  type BatchAnswer,
  type BatchForm,
  type BatchRequest,
  referencedId,
  resolveBodyReferences,
  resolveReference,
} from '../../../payload/batch/batch-request.ts';
import { decodeBody, parseObject } from '../../../payload/body/body-json.ts';
import {
  jsonContentType,
  negotiateJson,
  type ODataVersion,
  splitOutsideQuotes,
} from '../../../payload/negotiation/format.ts';
import { parseExpression } from '../../../url/expression.ts';
import { Cursor, limitName } from '../../../url/lexer.ts';
import { errorResponse } from '../../protocol/response.ts';
import type { Service } from '../../service/service.ts';

/** The result of a part: a response or an error. */
export type Attempt =
  | { readonly kind: 'done'; readonly response: WholeResponse; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly error: GatewayError };

/** Executes a part of the batch; errors are those of the part, not of the batch. */
export async function attemptPart(batch: Batch, part: BatchRequest, outcomes: Outcomes): Promise<Attempt> {
  try {
    assertClient(batch.outer);
    // Changes are executed even without room, because their responses are small.
    if (part.method === 'GET') batch.outer.budget.assertRoom();
    const memory = batch.outer.memory?.part();
    const request = { ...partRequest(batch, part, outcomes), memory };
    const answer = await batch.service.dispatch(request);
    const shown = part.method === 'HEAD' ? withoutBody(answer) : answer;
    const response = await wholeResponse(shown);
    batch.outer.budget.hold(sizeOf(response));
    memory?.settle(sizeOf(response));
    const outcome = { kind: 'done', target: entityTarget(batch, request, response), response } as const;
    return { kind: 'done', response, outcome };
  } catch (error) {
    return { kind: 'failed', error: toGatewayError(batch, error) };
  }
}

function sizeOf({ body }: WholeResponse): number {
  return body === undefined ? 0 : Buffer.byteLength(body);
}

function withoutBody(response: GatewayResponse): WholeResponse {
  if (isStreamBody(response.body)) response.body.bytes.destroy();
  return { ...response, body: undefined };
}

/** Stops the batch if the client has disconnected. */
export function assertClient({ signal }: BudgetedRequest): void {
  if (signal.aborted) throw new GatewayError('ClientClosedRequest', 'The client closed the connection.');
}

export function toGatewayError({ service, outer }: Batch, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  service.log?.error({ id: outer.id, err: error }, 'a part of a batch failed');
  return new GatewayError('InternalError', 'The gateway failed to answer this request.', { cause: error });
}

export function failedAnswer({ defaults }: Batch, request: BatchRequest, error: GatewayError): BatchAnswer {
  return { request, response: errorResponse(error, { ...defaults, ...request.headers }) };
}

/**
 * The target of references to the request: the created entity, or the request's own resource (Part 1,
 * 11.7.4).
 */
export function entityTarget(
  { service: { root } }: Batch,
  { method, target }: BudgetedRequest,
  { headers: { location } }: GatewayResponse,
): string | undefined {
  if (location?.startsWith(`${root}/`)) return location.slice(root.length);
  return method === 'POST' ? undefined : target.split('?')[0];
}

/** A batch during its execution. */
export interface Batch {
  readonly service: Service;
  /** The request that contains the batch. */
  readonly outer: BudgetedRequest;
  /** Default header fields of the parts. */
  readonly defaults: Readonly<Record<string, string>>;
}

/**
 * The request of a part, with the principal of the batch and resolved references (Part 1, 11.7.4 and 11.7.5).
 * Throws FailedDependency for an unresolvable reference.
 */
export function partRequest(
  { service, outer, defaults }: Batch,
  part: BatchRequest,
  outcomes: Outcomes,
): BudgetedRequest {
  if (part.refusal !== undefined) throw part.refusal;
  const unmet = part.dependsOn.find((id) => (outcomes.get(id)?.kind ?? 'failed') === 'failed');
  if (unmet !== undefined) throw failedDependency(unmet);
  if (part.condition !== undefined) assertCondition(service, part.condition, outcomes, outer.budget);
  const { id, principal, signal, budget, cost } = outer;
  const headers = { ...defaults, ...part.headers };
  return {
    id,
    handedOn: handedOn(id, headers, outer.headers),
    principal,
    signal,
    cost,
    budget,
    method: part.method === 'HEAD' ? 'GET' : part.method,
    target: resolveTarget(part.url, outcomes),
    headers: { ...resolveConditions(headers, outcomes), ...partPreferences(headers['prefer']) },
    body: resolveBody(part, service.root, outcomes),
  };
}

function resolveTarget(url: string, outcomes: Outcomes): string {
  const target = referencedTarget(referencedId(url), outcomes);
  return target === undefined ? url : resolveReference(url, target);
}

/** The target of the referenced request; undefined if the id belongs to no request. */
function referencedTarget(id: string | undefined, outcomes: Outcomes): string | undefined {
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
  // Latin-1 keeps bytes that are not UTF-8.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const resolved = resolveBodyReferences(text, (url) => {
    const target = referencedTarget(referencedId(url), outcomes);
    return target === undefined ? undefined : root + resolveReference(url, target);
  });
  return resolved === text ? body : Buffer.from(resolved, 'latin1');
}

const CONDITIONS = ['if-match', 'if-none-match'] as const;

/** Resolves `If-Match: $1` to the entity tag in that response (11.7.5). */
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

/** Header fields that the batch passes on to parts without them. */
const INHERITED = ['accept-language', 'odata-maxversion', 'odata-version', 'prefer'] as const;

/**
 * The default header fields of parts. A JSON response contains those of its parts, so parts with data use the
 * client's format.
 */
export function partDefaults(
  { headers }: BudgetedRequest,
  formatOption: string | undefined,
  form: BatchForm,
  version: ODataVersion,
): Readonly<Record<string, string>> {
  const inherited = INHERITED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  if (form !== 'json') return Object.fromEntries(inherited);
  const format = jsonContentType(negotiateJson(formatOption, headers['accept']), version);
  return { accept: `${format}, */*;q=0.1`, ...Object.fromEntries(inherited) };
}

/** Preferences for the batch as a whole, which parts do not inherit (Part 1, 8.2.8.8). */
const OF_BATCH = /^\s*(?:odata\.)?(?:callback|continue-on-error|respond-async|wait)\s*(?:[=;]|$)/i;

function partPreferences(prefer: string | undefined): Readonly<Record<string, string>> {
  if (prefer === undefined) return {};
  const own = splitOutsideQuotes(prefer, ',').filter((preference) => !OF_BATCH.test(preference));
  return { prefer: own.join(',') };
}

/**
 * Evaluates the `if` of a request (JSON Format, 19.1): `$1/Title eq 'x'` refers to the response of request 1.
 * Throws FailedDependency if it is false; conditions on rehearsed responses are skipped.
 */
function assertCondition(
  { model, limits }: Service,
  condition: string,
  outcomes: Outcomes,
  budget: RequestBudget,
): void {
  const expression = withAnswers(condition, outcomes, limits.url.length);
  if (expression === undefined || isTrue({ model, limits }, expression, budget)) return;
  throw new GatewayError('FailedDependency', `This request is for ${quote(condition)}, which is not true.`);
}

/** Skips strings, which contain no references. */
const REFERENCE = /'(?:[^']|'')*'|\$([\w.~-]+)((?:\/\w+)*)/g;

/**
 * Replaces references in the condition by their values; undefined if one is only rehearsed. Each value may be
 * as long as a response: throws BadRequest beyond `most` characters.
 */
function withAnswers(condition: string, outcomes: Outcomes, most: number): string | undefined {
  const answers = new Map<string, unknown>();
  let expression = '';
  let end = 0;
  const take = (text: string): void => {
    expression += text;
    if (expression.length > most) throw tooLong(most);
  };
  for (const { 0: reference, 1: id = '', 2: path = '', index } of condition.matchAll(REFERENCE)) {
    const outcome = outcomes.get(id);
    if (outcome === undefined) continue;
    if (outcome.kind === 'rehearsed') return undefined;
    if (!answers.has(id)) answers.set(id, answerOf(id, outcome));
    take(condition.slice(end, index) + literal(valueAt(answers.get(id), path), reference));
    end = index + reference.length;
  }
  take(condition.slice(end));
  return expression;
}

function tooLong(most: number): GatewayError {
  const message = `if: expected at most ${most} characters with all values in it (${limitName('length')}), found more.`;
  return new GatewayError('BadRequest', message, { target: 'if' });
}

/** Evaluates an expression without names as a filter of an empty row. */
function isTrue(
  { model, limits }: Pick<Service, 'model' | 'limits'>,
  expression: string,
  budget: RequestBudget,
): boolean {
  try {
    const cursor = new Cursor('$filter', expression, limits.url);
    const filter = parseExpression(cursor);
    cursor.expectEnd('an operator or the end');
    const query = compileValueCount(model, TRUTH, { filter, aliases: new Map() }, limits.query);
    return finished(query.run(budget, [true])) === 1;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.target !== '$filter') throw error;
    throw new GatewayError(error.code, error.message.replace('$filter', 'if'), { target: 'if' });
  }
}

const TRUTH = { type: { kind: 'primitive', name: 'Edm.Boolean' }, collection: true } as const;

/** The JSON of a response; undefined for other formats. */
function answerOf(id: string, outcome: Exclude<Outcome, { readonly kind: 'rehearsed' }>): unknown {
  if (outcome.kind === 'failed') throw failedDependency(id);
  const { body, headers } = outcome.response ?? { body: undefined, headers: {} };
  if (body === undefined || !headers['content-type']?.startsWith('application/json')) return undefined;
  return parseObject(typeof body === 'string' ? body : decodeBody(body, false));
}

/** Null for missing members. */
function valueAt(answer: unknown, path: string): unknown {
  const steps = path.split('/').slice(1);
  const member = (value: unknown, name: string): unknown =>
    isInputObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return steps.reduce(member, answer) ?? null;
}

/** The value as a literal (Part 2, 5.1.1.14). */
function literal(value: unknown, reference: string): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof ExactNumber) return value.text;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new GatewayError('BadRequest', `if: expected the path of a single value, found ${quote(reference)}.`);
}

/** The outcome of a request or change set, for those that depend on it or refer to it. */
export type Outcome =
  | { readonly kind: 'failed' }
  /** Nothing was sent; the target may be a placeholder. */
  | { readonly kind: 'rehearsed'; readonly target: string | undefined }
  | {
      readonly kind: 'done';
      readonly target: string | undefined;
      /** Undefined for a whole change set. */
      readonly response: WholeResponse | undefined;
    };

export type Outcomes = ReadonlyMap<string, Outcome>;

export function failedDependency(id: string): GatewayError {
  return new GatewayError('FailedDependency', `This request needs what ${quote(id)} did not bring about.`);
}
