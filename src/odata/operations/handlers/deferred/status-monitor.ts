import type { WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { httpMessage } from '../../../payload/batch/http-message.ts';
import { MEDIA_TYPES, parseAccept } from '../../../payload/negotiation/media-range.ts';
import type { ODataVersion } from '../../../payload/negotiation/version.ts';
import { methodNotAllowed, noContent } from '../../protocol/response.ts';
import type { RequestHandler } from '../../service/service.ts';
import type { DeferredAnswers } from './deferred-answers.ts';

/** Names of the model have no hyphen: no resource is ever at such a path. */
const MONITOR = /^\/status-([\w-]{32})\/?(?:\?|$)/;

const ALLOW = 'GET, HEAD, DELETE, OPTIONS';

/** Where the answer to a deferred request is to be asked for. */
export function monitorUrl(root: string, name: string): string {
  return `${root}/status-${name}`;
}

/**
 * What a status monitor answers (Part 1, 11.6): 202 until the request is answered, its answer from then on; DELETE
 * gives the request up. Undefined where the target is none.
 */
export function monitorOperation(
  deferred: DeferredAnswers,
  root: string,
  target: string,
): RequestHandler | undefined {
  const name = MONITOR.exec(target)?.[1];
  if (name === undefined) return undefined;
  return async ({ method, headers, principal }, version) => {
    const found = deferred.find(name, principal);
    if (found === undefined) throw new GatewayError('NotFound', 'There is no such request, or no longer.');
    switch (method) {
      case 'GET':
        return found.answer === undefined
          ? accepted(monitorUrl(root, name), version)
          : finalAnswer(found.answer, headers['accept'], version);
      case 'DELETE':
        deferred.cancel(name);
        return noContent(version);
      case 'OPTIONS':
        return noContent(version, { allow: ALLOW });
      default:
        throw methodNotAllowed(method, ALLOW);
    }
  };
}

/** The request is worked on; its answer will be at that URL. */
export function accepted(
  location: string,
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  const fields = { 'odata-version': version, 'cache-control': 'no-store', 'retry-after': '1', location };
  return { status: 202, headers: { ...fields, ...headers }, body: undefined };
}

/** 4.0 shows the answer as a message; 4.01 as it is, with its status beside it, unless a message is asked for. */
function finalAnswer(
  answer: WholeResponse,
  accept: string | undefined,
  version: ODataVersion,
): WholeResponse {
  const isMessage = version === '4.0' || parseAccept(accept ?? '').some(isHttp);
  const { status, headers, body } = answer;
  if (!isMessage) return { status: 200, headers: { ...headers, asyncresult: String(status) }, body };
  return {
    status: 200,
    headers: {
      'odata-version': version,
      'content-type': MEDIA_TYPES.http,
      'content-transfer-encoding': 'binary',
      'cache-control': 'no-store',
    },
    body: Buffer.concat(httpMessage(answer).map((chunk) => Buffer.from(chunk))),
  };
}

function isHttp({ type, quality }: { readonly type: string; readonly quality: number }): boolean {
  return type === MEDIA_TYPES.http && quality > 0;
}
