import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import type { Holding } from '../contract/memory-allowance.ts';
import { errorAnswer, internalError, lengthOf, writeAnswer } from './answer.ts';
import { atClose } from './at-close.ts';
import type { HandlerPart } from './part.ts';
import { mayExceed, readBody } from './request-body.ts';
import { checkRequest } from './request-check.ts';
import { bodyLimit, demandLogin, type RouteDependencies, receive, type Serve } from './route-dependencies.ts';
import { noteSender } from './senders.ts';
import { closeUpload, openUpload } from './upload.ts';

/** Turns the requests of a part into records, and its records into answers. */
export function handlerAdapter(part: HandlerPart, ground: RouteDependencies): Serve {
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

/** A browser asks for permission before anybody has signed in. */
async function shared(
  { crossOrigin: isShared }: HandlerPart,
  { crossOrigin }: RouteDependencies,
  received: GatewayRequest,
  answer: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  if (!isShared) return answer();
  return crossOrigin.preflight(received) ?? crossOrigin.share(await answer(), received);
}

async function answerOf(
  part: HandlerPart,
  ground: RouteDependencies,
  received: GatewayRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<GatewayResponse> {
  try {
    checkRequest(request, part, ground);
    const principal = part.open ? received.principal : await ground.authenticate(received);
    noteSender(request, principal);
    ground.admission.countFor(principal, response);
    const known = { ...received, principal, memory: heldFor(response, ground) };
    demandLogin(part, principal, request);
    const limit = bodyLimit(part, received.target);
    if (mayExceed(request, limit) && part.takesUpload?.(known) === true) {
      return await answerUpload(part, ground, known, request, response);
    }
    const take = ground.bodies.forRequest(response, principal);
    const body = await readBody(request, response, {
      limit,
      variable: part.bodyVariable,
      timeout: ground.bodyTimeout,
      take,
    });
    const answer = await part.handler({ ...known, body });
    known.memory?.settle(lengthOf(answer.body) ?? 0);
    return answer;
  } catch (error) {
    return errorAnswer(error, part, received, ground.log);
  }
}

/** What is held for the answer, until it is read. */
function heldFor(response: ServerResponse, { memory }: RouteDependencies): Holding | undefined {
  const holding = memory?.holding();
  if (holding !== undefined) atClose(response, () => holding.release());
  return holding;
}

async function answerUpload(
  { handler, maxUploadBytes: limit = 0, uploadVariable: variable }: HandlerPart,
  { bodyTimeout: silence }: RouteDependencies,
  known: GatewayRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<GatewayResponse> {
  const upload = openUpload(request, response, { limit, variable, silence });
  try {
    return await handler({ ...known, upload });
  } finally {
    // Of what is not complete by now, nobody wants the rest.
    if (!request.complete) response.shouldKeepAlive = false;
    closeUpload(upload, request);
  }
}
