import type { BudgetedRequest, GatewayResponse } from '../../contract/exchange.ts';
import { loginRequired } from '../../contract/gateway-error.ts';
import { responseVersion } from '../payload/negotiation/version.ts';
import { withoutFormBlanks } from '../url/form-encoding.ts';
import type { UrlLimits } from '../url/limits.ts';
import { withoutCredential } from './protocol/credential-parameter.ts';
import { refuseIsolation } from './protocol/isolation.ts';
import { isQueryInBody, queriedResource, withQueryOfBody } from './protocol/query-in-body.ts';
import { methodNotAllowed, noContent } from './protocol/response.ts';
import { isTokenFetch, tokenAnswer } from './protocol/token-fetch.ts';
import type { RequestHandler } from './service/service.ts';

/** How the target of a request is read. */
interface TargetReading {
  readonly limits: UrlLimits;
  /** A query parameter that may hold a credential. */
  readonly credentialParameter: string | undefined;
}

/** Answers a request with the operation that is found for it; throws what is wrong with it. */
export async function dispatch(
  request: BudgetedRequest,
  { limits, credentialParameter }: TargetReading,
  find: (read: BudgetedRequest) => RequestHandler,
): Promise<GatewayResponse> {
  const version = responseVersion(request.headers);
  if (request.principal.kind === 'anonymous') throw loginRequired();
  refuseIsolation(request);
  const written = withoutCredential(readOf(request), credentialParameter);
  const read = { ...written, target: withoutFormBlanks(written.target, limits) };
  const operation = find(read);
  if (isQueryInBody(request) && request.method === 'OPTIONS') return noContent(version, { allow: ALLOWED });
  return isTokenFetch(read) ? tokenAnswer(version) : operation(read, version);
}

/** A query in the body of a POST is a GET by another way; nothing else can be done with it. */
function readOf(request: BudgetedRequest): BudgetedRequest {
  if (!isQueryInBody(request)) return request;
  if (request.method === 'POST') return withQueryOfBody(request);
  if (request.method === 'OPTIONS') return queriedResource(request);
  throw methodNotAllowed(request.method, ALLOWED);
}

const ALLOWED = 'POST, OPTIONS';
