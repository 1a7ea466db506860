import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ownerName } from '../../contract/owner-name.ts';
import { inTurns } from '../../contract/turns.ts';
import type { AuthorizedClient, UpstreamAccess } from '../credentials/upstream-access.ts';
import { entityTag } from '../exchange/entity-tag.ts';
import type { UpstreamAnswer, UpstreamRequest } from '../exchange/upstream-exchange.ts';
import { mayHaveHappened, upstreamFailure } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import { plainBody, readAnswer } from '../reading/answer-data.ts';
import { type FieldRequest, failureOf, noData } from './field-request.ts';
import type { LoadedData, StreamRequest } from './mesh-context.ts';
import { holdFor, type ReadOptions, readData } from './read-data.ts';
import { openStream } from './upstream-stream.ts';

/** Reads and writes the data of one source, and recognises what has not changed. */
export interface UpstreamData {
  load(request: FieldRequest, call: CallContext): Promise<LoadedData>;
}

interface UpstreamDataOptions extends Omit<ReadOptions, 'client'> {
  readonly access: UpstreamAccess;
  /** Sent with every call. Names are in lower case; they win over all others. */
  readonly headers: Readonly<Record<string, string>>;
}

export function createUpstreamData(options: UpstreamDataOptions): UpstreamData {
  const headerLists = new WeakMap<HttpField, readonly string[]>();

  function headersOf(request: FieldRequest): readonly string[] {
    const { field, headers } = request;
    const own = ownHeaders(request);
    if (own !== undefined) return listHeaders(headers, own, options.headers);
    if (field.headerArguments.length > 0) return listHeaders(headers, options.headers);
    const known = headerLists.get(field);
    if (known !== undefined) return known;
    const list = listHeaders(headers, options.headers);
    headerLists.set(field, list);
    return list;
  }

  return {
    async load(request, call) {
      const headers = headersOf(request);
      const calling = { ...options, client: await options.access.for(call) };
      if (request.stream !== undefined) return open(calling, request, request.stream, headers, call);
      return request.field.method === 'GET'
        ? readData(calling, request, headers, call)
        : write(calling, request, headers, call);
    },
  };
}

async function open(
  { client, bodySize }: ReadOptions,
  { field, path, body, takesInput, making }: FieldRequest,
  { conditions }: StreamRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const trace = field.method === 'GET' ? call.handedOn?.trace : call.handedOn?.nextChange();
  const request = { operation: field.name, method: field.method, path, headers, trace, body };
  const data = await openStream(
    { client, field, request, takesInput, bodySize, conditions: { ...conditions } },
    call,
  );
  return { made: making.read(data), state: undefined };
}

async function write(
  { client, bodySize }: ReadOptions,
  request: FieldRequest,
  headers: readonly string[],
  call: CallContext,
): Promise<LoadedData> {
  const { field, path, body } = request;
  const answer = await sendChange(client, call, {
    operation: field.name,
    method: field.method,
    path,
    headers,
    trace: call.handedOn?.nextChange(),
    body,
    asker: ownerName(call.principal),
  });
  await holdFor(call, answer);
  if (answer.status < 200 || answer.status > 299) throw failureOf(request, answer);
  const { 'content-encoding': coding, 'content-type': mediaType, location } = answer.headers;
  const plain = await plainBody(coding, answer.body, bodySize);
  const received = { etag: entityTag(answer.headers), body: answer.body, location };
  if (plain.length === 0 && request.mayBeEmpty) return { ...noData(request), received };
  const made = await inTurns(readAnswer(request, { body: plain, mediaType }));
  return { made, state: undefined, received };
}

/** Whoever does not know what became of a change is told so. */
async function sendChange(
  client: AuthorizedClient,
  { signal }: CallContext,
  request: UpstreamRequest,
): Promise<UpstreamAnswer> {
  try {
    return await client.send(request, signal);
  } catch (error) {
    throw mayHaveHappened(error) ? upstreamFailure('OutcomeUnknown', error) : error;
  }
}

/** Bytes that equal bytes can be recognised by cost a comparison; decoded ones would cost a decoding too. */
const OWN_HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'duogate',
};

/** RFC 9110, section 5.5; undici refuses more, but a client shall be told that it was the client's. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names and values in turn. */
function listHeaders(...sets: readonly Readonly<Record<string, string>>[]): readonly string[] {
  const headers: Record<string, string> = Object.assign({}, OWN_HEADERS, ...sets);
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_VALUE.test(value)) {
      throw new GatewayError(
        'BadRequest',
        `The value for the header "${name}" has characters that no header can have.`,
      );
    }
  }
  return Object.entries(headers).flat();
}

/** What this one call has for header fields of its own. */
function ownHeaders({
  mediaType,
  stream,
  conditions,
}: FieldRequest): Readonly<Record<string, string>> | undefined {
  if (mediaType === undefined && stream === undefined && conditions === undefined) return undefined;
  const fields = {
    ...conditions,
    ...(stream && { accept: '*/*', ...stream.conditions }),
    'content-type': mediaType,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
