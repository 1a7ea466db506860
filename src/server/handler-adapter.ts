import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { errorAnswer, internalError, writeAnswer } from './answer.ts';
import { bodyLimit, type Ground, receive, type Serve } from './ground.ts';
import type { HandlerPart } from './part.ts';
import { readBody } from './request-body.ts';
import { checkRequest } from './request-check.ts';

/** Turns the requests of a part into records, and its records into answers. */
export function handlerAdapter(part: HandlerPart, ground: Ground): Serve {
  const headers = { ...ground.headers, ...part.headers };
  return async (request, response, target) => {
    const received = receive(request, response, target);
    const answer = await shared(part, ground, received, () =>
      answerOf(part, ground, received, request, response),
    );
    try {
      await writeAnswer(response, answer, received, headers, ground);
    } catch (error) {
      // Node refuses a status or a header field that it cannot write, before it has written anything.
      writeAnswer(
        response,
        errorAnswer(internalError(error), part, received, ground.log),
        received,
        headers,
        ground,
      );
    }
  };
}

/** A browser asks for permission before anybody has logged in. */
async function shared(
  { crossOrigin: isShared }: HandlerPart,
  { crossOrigin }: Ground,
  received: GatewayRequest,
  answer: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  if (!isShared) return answer();
  return crossOrigin.preflight(received) ?? crossOrigin.share(await answer(), received);
}

async function answerOf(
  part: HandlerPart,
  ground: Ground,
  received: GatewayRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<GatewayResponse> {
  try {
    checkRequest(request, ground.maxTargetLength);
    const principal = part.open ? received.principal : await ground.authenticate(received);
    const body = await readBody(request, response, bodyLimit(part, received.target));
    return await part.handler({ ...received, principal, body });
  } catch (error) {
    return errorAnswer(error, part, received, ground.log);
  }
}
