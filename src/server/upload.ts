import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { StreamBody } from '../contract/exchange.ts';
import { clientClosed } from '../contract/gateway-error.ts';
import { admitBody, type LengthLimit, lateBody, tooLarge } from './request-body.ts';

interface UploadLimits extends LengthLimit {
  /** How long the client may send nothing while somebody waits for it, in milliseconds. */
  readonly silence: number;
}

/**
 * The body of a request as it comes, read no faster than whoever takes it reads. It fails with PayloadTooLarge, with
 * RequestTimeout where the client falls silent, and with ClientClosedRequest where it goes away.
 */
export function openUpload(
  request: IncomingMessage,
  response: ServerResponse,
  limits: UploadLimits,
): StreamBody {
  admitBody(request, response, limits);
  const length = request.headers['content-length'];
  const bytes = Readable.from(chunksOf(request, limits), { objectMode: false });
  // Whoever reads it is told; until then nobody listens.
  bytes.on('error', () => undefined);
  return { bytes, length: length === undefined ? undefined : Number(length) };
}

async function* chunksOf(request: IncomingMessage, limits: UploadLimits): AsyncGenerator<Buffer> {
  // The connection must outlive what is read of it: the answer is still to come.
  const chunks = request.iterator({ destroyOnReturn: false });
  let read = 0;
  for (;;) {
    const { done, value } = await inTime(chunks.next(), limits.silence);
    if (done === true) return;
    read += value.length;
    if (read > limits.limit) throw tooLarge(limits);
    yield value;
  }
}

async function inTime<Result>(result: Promise<Result>, silence: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lateBody()), silence);
  });
  try {
    // All that can go wrong with a request's body is that no more of it comes.
    return await Promise.race([result.catch(() => Promise.reject(clientClosed())), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets go of what nobody has read: what the client still sends is forgotten, so that it gets to see the answer. */
export function closeUpload({ bytes }: StreamBody, request: IncomingMessage): void {
  bytes.destroy();
  request.resume();
}
