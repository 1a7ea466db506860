import { isObject } from './json.ts';
import { answerList } from './list-request.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import type { MockAnswer } from './mock-answer.ts';
import type { MockResources } from './mock-resources.ts';
import { queryMistake } from './parameter-check.ts';
import type { Route } from './router.ts';

/** A request whose operation is known. */
export interface RoutedRequest extends Route {
  readonly url: URL;
  /** The JSON that came with it, if any. */
  readonly sent: unknown;
}

/** The answers of an API; which of them are 429 depends on how many there were. */
export type Answering = (request: RoutedRequest, misbehaviour: Misbehaviour) => MockAnswer;

export const NOT_FOUND: MockAnswer = { status: 404, body: { message: 'Not found.' } };

export function createAnswering(resources: MockResources): Answering {
  let pages = 0;
  return (request, misbehaviour) => {
    const { operation, url, sent } = request;
    const mistake = queryMistake(resources.view, operation.parameters, url.searchParams);
    if (mistake !== undefined) return { status: 400, body: { message: mistake } };
    if (operation.method !== 'GET') return echo(resources, request, sent);
    const resource = resources.resourceOf(operation);
    if (resource.kind !== 'list') return answerObject(resources, request);
    pages += 1;
    const { busyEvery, retryAfter = '0' } = misbehaviour;
    if (busyEvery !== undefined && pages % busyEvery === 0) {
      return { status: 429, headers: { 'retry-after': retryAfter }, body: { message: 'Too many requests.' } };
    }
    return answerList(resources, resource, { ...request, misbehaviour });
  };
}

function answerObject(resources: MockResources, { operation, values }: Route): MockAnswer {
  const { status } = operation;
  const resource = resources.resourceOf(operation);
  if (operation.answer === undefined) return { status };
  if (resource.kind !== 'item') return { status, body: resources.answerOf(operation, 1, values) };
  const body = resources.itemOf(resource, operation, values);
  return body === undefined ? NOT_FOUND : { status, body };
}

/** The response of an operation for a new row, merged with the sent body. */
function echo(resources: MockResources, { operation, values }: Route, sent: unknown): MockAnswer {
  const { status } = operation;
  const made = resources.answerOf(operation, resources.rows + 1, values);
  return { status, body: isObject(made) && isObject(sent) ? { ...made, ...sent } : made };
}
