import { hash } from 'node:crypto';
import type { CredentialVault } from '../../contract/credential-vault.ts';
import { type CallContext, isStreamBody, type StreamBody } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MemoryReservation } from '../../contract/memory-allowance.ts';
import type { SubjectToken, UserPrincipal } from '../../contract/principal.ts';
import type { UpstreamClient } from '../client/upstream-client.ts';
import { type SignRequest, withHeaders } from '../exchange/request-signature.ts';
import {
  Cancellation,
  type UpstreamAnswer,
  type UpstreamRequest,
  type UpstreamStream,
  withQuery,
} from '../exchange/upstream-exchange.ts';

import { tokenFault } from './token-endpoint.ts';

/** An upstream as calls are let into it. */
export interface UpstreamAccess {
  /** The client that sends for a call. Throws a GatewayError where nothing lets the call in. */
  for(call: CallContext): Promise<AuthorizedClient> | AuthorizedClient;
}

/** Sends what one call asks for, with its credential. */
export interface AuthorizedClient {
  /** The owner of the responses, which are never shared with other owners. Empty for public responses. */
  readonly owner: string;
  /** Whether requests have an Authorization field. */
  readonly isAuthorized: boolean;
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
  open(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer | UpstreamStream>;
}

/** The access of an upstream that all calls are sent to with the same. */
export function openAccess(client: UpstreamClient): UpstreamAccess {
  const same: AuthorizedClient = {
    owner: '',
    isAuthorized: false,
    send: client.send,
    open: client.open,
  };
  return { for: () => same };
}

export interface CredentialAccessOptions {
  readonly source: string;
  readonly client: UpstreamClient;
  readonly find: FindCredential;
  /** In milliseconds, for the credential and what is sent with it. */
  readonly deadline: number;
}

/** The access of an upstream where each call needs a credential. */
export function credentialAccess(options: CredentialAccessOptions): UpstreamAccess {
  return {
    async for(call) {
      const start = performance.now();
      const credential = await withinDeadline(options, call.signal, 0, () => options.find(call));
      return authorizedClient(options, credential, call.memory, performance.now() - start);
    },
  };
}

function authorizedClient(
  options: CredentialAccessOptions,
  credential: CallCredential,
  memory: MemoryReservation | undefined,
  spent: number,
): AuthorizedClient {
  const { client } = options;
  type Send<Answer> = (request: UpstreamRequest, signal: AbortSignal, spent: number) => Promise<Answer>;
  /** Sends once more where the upstream has refused the credential and there is another one. */
  async function sendBy<Answer extends UpstreamAnswer | UpstreamStream>(
    send: Send<Answer>,
    request: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const prepared = await prepare(request, signal);
    const start = performance.now();
    const sofar = (): number => spent + performance.now() - start;
    const first = await send(withCredential(prepared, credential), signal, sofar());
    const { instead } = credential;
    if (!isRefused(first) || instead === undefined) return permitted(options, credential, first);
    const other = await withinDeadline(options, signal, sofar(), () => instead(first));
    // What has been read of a stream cannot be read again; the next call has the other credential.
    if (other === undefined || isStreamBody(prepared.body)) return permitted(options, credential, first);
    const second = await send(withCredential(prepared, other), signal, sofar());
    if (!isRefused(second)) other.accept?.();
    return permitted(options, other, second);
  }
  /** Makes a streamed body ready for the scheme, which cannot send it twice or needs all of it. */
  async function prepare(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamRequest> {
    const { body } = request;
    if (!isStreamBody(body)) return request;
    if (credential.holdsBody?.(body) === true)
      return { ...request, body: await heldBody(options.source, body, memory) };
    if (credential.needsChallenge?.() === true) {
      // HEAD is safe, so it may be sent whatever the request would change (RFC 9110, 9.2.1).
      const question = {
        ...request,
        operation: 'challenge',
        method: 'HEAD',
        body: undefined,
        trace: undefined,
      };
      const answer = await client.send(withCredential(question, credential), signal, spent);
      if (isRefused(answer)) await credential.instead?.(answer);
    }
    return request;
  }
  return {
    owner: credential.owner,
    isAuthorized: credential.isAuthorized ?? Object.hasOwn(credential.headers, 'authorization'),
    send: (request, signal) => sendBy(client.send, request, signal),
    open: (request, signal) => sendBy(client.open, request, signal),
  };
}

function isRefused(answer: UpstreamAnswer | UpstreamStream): answer is UpstreamAnswer {
  return answer.kind === 'answer' && answer.status === 401;
}

/** Maximum size of a streamed body that is signed, in bytes: all of it is in memory at once. */
const MOST_HELD = 8 * 1024 * 1024;

async function heldBody(
  source: string,
  { bytes }: StreamBody,
  memory: MemoryReservation | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop destroys the stream.
    if (size > MOST_HELD) {
      throw new GatewayError(
        'PayloadTooLarge',
        `${source} takes at most ${MOST_HELD} bytes: its requests are signed.`,
      );
    }
    await memory?.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Callers with their own credential get the upstream's rejection as an error. */
function permitted<Answer extends UpstreamAnswer | UpstreamStream>(
  { source }: CredentialAccessOptions,
  { owner }: CallCredential,
  answer: Answer,
): Answer {
  if (owner === '' || (answer.status !== 401 && answer.status !== 403)) return answer;
  const cause = new Error(`the upstream answered with status ${answer.status}`);
  if (answer.status === 401) throw forbidden(`${source} does not accept your credential.`, cause);
  throw forbidden(`${source} does not allow you this.`, cause);
}

function withCredential(
  request: UpstreamRequest,
  { headers, query, owner, sign }: CallCredential,
): UpstreamRequest {
  return {
    ...request,
    owner,
    sign,
    path: withQuery(request.path, query),
    headers: withHeaders(request.headers, headers),
  };
}

/** A credential is waited for no longer than the call itself may take; getting it goes on for others. */
async function withinDeadline<Result>(
  { source, deadline }: CredentialAccessOptions,
  signal: AbortSignal,
  spent: number,
  get: () => Result | Promise<Result>,
): Promise<Result> {
  const getting = get();
  if (!(getting instanceof Promise)) return getting;
  const cancellation = new Cancellation(signal, deadline, spent);
  try {
    return await new Promise<Result>((resolve, reject) => {
      const giveUp = (reason: GatewayError): void => reject(givenUp(source, reason));
      cancellation.enter(giveUp);
      if (cancellation.reason !== undefined) giveUp(cancellation.reason);
      getting.then(resolve, reject);
    });
  } finally {
    cancellation.close();
  }
}

function givenUp(source: string, reason: GatewayError): GatewayError {
  return reason.code === 'ClientClosedRequest' ? reason : tokenFault(source, reason);
}

/** The credential of one call. */
export interface CallCredential {
  /** Headers that win over all others. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the query; percent-encoded, empty for nothing. */
  readonly query: string;
  /** The owner of the responses, which are never shared with other owners. Empty for public responses. */
  readonly owner: string;
  /** Signs each request that is sent with the credential. */
  readonly sign?: SignRequest;
  /** Whether a streamed body is read into memory, because the signature covers it or needs its length. */
  readonly holdsBody?: (body: StreamBody) => boolean;
  /** Whether the upstream must be asked for a challenge before a body is streamed, which cannot be sent twice. */
  readonly needsChallenge?: () => boolean;
  /** True if requests get an Authorization field when they are signed. */
  readonly isAuthorized?: boolean;
  /** Returns another credential after the upstream has rejected this one in its answer, if any. */
  readonly instead?: (rejection: UpstreamAnswer) => Promise<CallCredential | undefined>;
  /** Called when the upstream has accepted a credential that {@link instead} returned. */
  readonly accept?: () => void;
}

/**
 * Finds what lets a call in. Throws Unauthorized or Forbidden where who calls has nothing that does, and the
 * failure of an authorization server otherwise.
 */
export type FindCredential = (call: CallContext) => CallCredential | Promise<CallCredential>;

/** A bearer token (RFC 6750, 2.1) as a credential. */
export function bearerHeaders(token: string): CallCredential['headers'] {
  return { authorization: `Bearer ${token}` };
}

/** The user of the request. Throws Unauthorized without one. */
export function requireUser(source: string, { principal }: CallContext): UserPrincipal {
  if (principal.kind === 'user') return principal;
  throw unauthorized(`${source} is called with your own credential: sign in first.`);
}

/** The token that the caller has shown, made by that issuer. Throws what is wrong with it. */
export function requireToken(source: string, issuer: string, user: UserPrincipal): SubjectToken {
  const { token } = user;
  if (token?.issuer !== issuer) {
    throw forbidden(`${source} is called with the caller's own token: expected a bearer token of ${issuer}.`);
  }
  // Work may go on after a request has been answered, and longer than the token is good.
  if (token.expiresAt > Date.now()) return token;
  throw unauthorized(`${source} is called with the caller's own token, which has expired.`);
}

/** The key that the user of the request has stored for the source. Throws Forbidden without one. */
export async function storedKey(
  source: string,
  call: CallContext,
  vault: CredentialVault,
): Promise<{ readonly user: string; readonly text: string }> {
  const { id } = requireUser(source, call);
  const key = await vault.keyOf(id, source);
  if (key !== undefined) return { user: id, text: key.reveal() };
  throw forbidden(
    `${source} is called with a key of your own: store it by PUT /api/auth/upstream-keys/${source}.`,
  );
}

/** Differs where the user or the credential does: with another one of the same user, the upstream may show other data. */
export function ownerOf(user: string, secret: string): string {
  return hash('sha256', `${user}\n${secret}`, 'base64url');
}

export function forbidden(message: string, cause?: unknown): GatewayError {
  return new GatewayError('Forbidden', message, { cause });
}

function unauthorized(message: string): GatewayError {
  return new GatewayError('Unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="duogate", error="invalid_token"' },
  });
}
