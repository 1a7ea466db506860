import type { GatewayResponse, StreamBody, WholeResponse } from './exchange.ts';
import { GatewayError } from './gateway-error.ts';

/** Tells a body that comes while it is written from one that is there. */
export function isStreamBody(body: GatewayResponse['body']): body is StreamBody {
  return typeof body === 'object' && 'bytes' in body;
}

/**
 * The answer with all of its body, for whoever cannot hand a stream on as it comes. One that is longer than
 * the limit is given up, and NotImplemented, unless it is held anyway.
 */
export async function wholeResponse(response: GatewayResponse, limit: number): Promise<WholeResponse> {
  const { body } = response;
  return { ...response, body: isStreamBody(body) ? await collect(body, limit) : body };
}

async function collect({ bytes, isHeld }: StreamBody, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop destroys what is read.
    if (size > limit && isHeld !== true) throw tooLong(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLong(limit: number): GatewayError {
  const message = `A stream of more than ${limit} bytes cannot be a part of another answer.`;
  return new GatewayError('NotImplemented', message);
}
