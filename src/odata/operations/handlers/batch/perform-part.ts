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

/** What a part came to: an answer, or what is wrong. */
export type Attempt =
  | { readonly kind: 'done'; readonly response: WholeResponse; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly error: GatewayError };

/** Carries out a part of the batch; whatever goes wrong is its own failure and not that of the batch. */
export async function attemptPart(batch: Batch, part: BatchRequest, outcomes: Outcomes): Promise<Attempt> {
  try {
    assertClient(batch.outer);
    // Changes are made all the same: their answers are small.
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

/** A client that has gone away wants nothing more. */
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

/** What a reference to the request leads to: what it has created, or else what it was about (Part 1, 11.7.4). */
export function entityTarget(
  { service: { root } }: Batch,
  { method, target }: BudgetedRequest,
  { headers: { location } }: GatewayResponse,
): string | undefined {
  if (location?.startsWith(`${root}/`)) return location.slice(root.length);
  return method === 'POST' ? undefined : target.split('?')[0];
}

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
  if (part.condition !== undefined) assertCondition(service, part.condition, outcomes, outer.budget);
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
  const target = referencedTarget(referencedId(url), outcomes);
  return target === undefined ? url : resolveReference(url, target);
}

/** Where the entity is that a request has created or was about; undefined where the id is none of a request. */
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
  // Byte for byte, so that what is not UTF-8 stays as it is.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const resolved = resolveBodyReferences(text, (url) => {
    const target = referencedTarget(referencedId(url), outcomes);
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

/** What the batch says for all of its requests that do not say it themselves. */
const INHERITED = ['accept-language', 'odata-maxversion', 'odata-version', 'prefer'] as const;

/**
 * The header fields of requests that do not have them. An answer in JSON has the answers to its requests in it, so
 * that they have the format that the client asks for; other resources can be had all the same.
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

/** Preferences that are about the batch as a whole: its requests are not deferred (Part 1, 8.2.8.8). */
const OF_BATCH = /^\s*(?:odata\.)?(?:callback|continue-on-error|respond-async|wait)\s*(?:[=;]|$)/i;

function partPreferences(prefer: string | undefined): Readonly<Record<string, string>> {
  if (prefer === undefined) return {};
  const own = splitOutsideQuotes(prefer, ',').filter((preference) => !OF_BATCH.test(preference));
  return { prefer: own.join(',') };
}

/**
 * Demands that the expression of a request's `if` is true (JSON Format, 19.1): `$1/Title eq 'x'` compares what the
 * answer to request 1 has there. FailedDependency where it is not; what is only rehearsed may come to be true.
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

/** Strings are passed over: what is in them refers to nothing. */
const REFERENCE = /'(?:[^']|'')*'|\$([\w.~-]+)((?:\/\w+)*)/g;

/**
 * The condition with the values that it refers to in their places; undefined where one of them is only rehearsed. It may
 * refer to many, and each may be as long as an answer: that is a BadRequest from `most` characters on.
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

/** An expression without names is a filter of a row that says nothing. */
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

/** The JSON of an answer; undefined for an answer of another kind. */
function answerOf(id: string, outcome: Exclude<Outcome, { readonly kind: 'rehearsed' }>): unknown {
  if (outcome.kind === 'failed') throw failedDependency(id);
  const { body, headers } = outcome.response ?? { body: undefined, headers: {} };
  if (body === undefined || !headers['content-type']?.startsWith('application/json')) return undefined;
  return parseObject(typeof body === 'string' ? body : decodeBody(body, false));
}

/** Null for what is not there. */
function valueAt(answer: unknown, path: string): unknown {
  const steps = path.split('/').slice(1);
  const member = (value: unknown, name: string): unknown =>
    isInputObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return steps.reduce(member, answer) ?? null;
}

/** A value as an expression has it (Part 2, 5.1.1.14). */
function literal(value: unknown, reference: string): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof ExactNumber) return value.text;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new GatewayError('BadRequest', `if: expected the path of a single value, found ${quote(reference)}.`);
}

/** What has come of a request or a change set, for those that depend on it or refer to it. */
export type Outcome =
  | { readonly kind: 'failed' }
  /** Nothing was sent: the target stands for one that is not known yet. */
  | { readonly kind: 'rehearsed'; readonly target: string | undefined }
  | {
      readonly kind: 'done';
      readonly target: string | undefined;
      /** Undefined for a change set as a whole. */
      readonly response: WholeResponse | undefined;
    };

export type Outcomes = ReadonlyMap<string, Outcome>;

export function failedDependency(id: string): GatewayError {
  return new GatewayError('FailedDependency', `This request needs what ${quote(id)} did not bring about.`);
}
