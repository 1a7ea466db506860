import type { GraphQLField, GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { logFailure } from './failure-log.ts';
import { type HttpField, readHttpField } from './http-field.ts';
import { FIELD_CALL, type FieldCall, type LoadedData, type MeshContext } from './mesh-context.ts';
import { encodePathArguments } from './path-argument.ts';
import type { UpstreamData } from './upstream-data.ts';
import type { UpstreamMemory } from './upstream-memory.ts';

/** Where `info` carries the call of one root field through Mesh to {@link meshFetch} and back. */
const CALL: unique symbol = Symbol('duogate.call');

interface RootFieldCall {
  readonly field: HttpField;
  readonly data: UpstreamData;
  readonly query: string;
  loaded: LoadedData | undefined;
}

interface CarryingInfo extends GraphQLResolveInfo {
  readonly [CALL]?: RootFieldCall;
}

/**
 * What Mesh's resolver is told of the context. With a `fetch` in it, calls do not pass Mesh's hooks around
 * its own, of which there are none.
 */
interface HandedContext extends MeshContext {
  readonly fetch: typeof meshFetch;
}

interface MeshRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RootFieldOptions {
  readonly source: string;
  readonly data: UpstreamData;
  /** Added to the query of each call; percent-encoded, empty for none. */
  readonly query: string;
  readonly memory: UpstreamMemory;
  readonly log: Log;
}

/**
 * Wraps the resolver of every root field of a source that makes an HTTP call.
 *
 * Mesh still makes the request of the field and its arguments, but what is sent, and what becomes of
 * the answer, is decided here: Mesh would put arguments into the path as they are, follow redirects,
 * turn wrong types into right ones, and add eight accessors to each item of a list.
 */
export function wrapRootFields(schema: GraphQLSchema, options: RootFieldOptions): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (type) wrapRootField(schema, type, field, options);
    }
  }
  return schema;
}

function wrapRootField(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  { source, data, query, memory, log }: RootFieldOptions,
): void {
  const httpField = readHttpField(schema, source, type, field);
  const { resolve } = field;
  if (httpField === undefined || resolve === undefined) return;
  field.resolve = async (root, args, context, info) => {
    const meshContext = context as MeshContext;
    const fieldCall = meshContext[FIELD_CALL];
    const call: RootFieldCall = { field: httpField, data, query, loaded: undefined };
    try {
      const encoded = encodePathArguments(httpField, args);
      const handed: HandedContext = { call: meshContext.call, [FIELD_CALL]: fieldCall, fetch: meshFetch };
      const result: unknown = await resolve(root, encoded, handed, {
        ...info,
        [CALL]: call,
      } as CarryingInfo);
      return fieldCall === undefined ? dataOf(call, result) : tell(fieldCall, call, memory);
    } catch (error) {
      if (fieldCall !== undefined && error instanceof GatewayError) fieldCall.failure = error;
      logFailure(log, httpField.name, meshContext.call, error);
      throw error;
    }
  };
}

/** What execution goes on with: the data itself instead of what Mesh would have made of its text. */
function dataOf(call: RootFieldCall, result: unknown): unknown {
  return call.field.hasLinks ? result : loadedBy(call).data;
}

/** The same for a caller inside the gateway, who may have no need of an execution. */
function tell(fieldCall: FieldCall, call: RootFieldCall, memory: UpstreamMemory): unknown {
  const loaded = loadedBy(call);
  fieldCall.loaded = loaded;
  const nothing = call.field.isList ? [] : null;
  if (loaded.state === undefined) return fieldCall.direct ? nothing : loaded.data;
  fieldCall.made = memory.derived(loaded.state, fieldCall.purpose);
  return fieldCall.made === undefined && !fieldCall.direct ? loaded.data : nothing;
}

function loadedBy({ field, loaded }: RootFieldCall): LoadedData {
  if (loaded === undefined) throw new Error(`Mesh answered ${field.name} without a call`);
  return loaded;
}

/** The `fetch` that Mesh is given. */
export async function meshFetch(
  url: string,
  request: MeshRequest,
  context: MeshContext,
  info: CarryingInfo,
): Promise<MeshResponse> {
  const call = info?.[CALL];
  // Nothing is read from the network but the upstream's data.
  if (call === undefined) throw new Error('Only root fields call an upstream');
  const { field, data, query } = call;
  const fieldCall = context[FIELD_CALL];
  const body = fieldCall?.body ?? request.body;
  call.loaded = await data.load(
    {
      field,
      path: withQuery(pathOf(url), query),
      headers: request.headers ?? {},
      body,
      exact: fieldCall?.direct ?? false,
    },
    context.call,
  );
  return field.hasLinks && fieldCall === undefined
    ? responseOf(JSON.stringify(call.loaded.data))
    : PLACEHOLDER;
}

/** Mesh has joined the endpoint and the path; what follows the host is sent as it stands. */
function pathOf(url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('://') + 3));
  return /[^\x21-\x7e]/.test(path) ? encodeURI(path) : path;
}

function withQuery(path: string, query: string): string {
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** What Mesh reads of a response. */
interface MeshResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Headers;
  text(): Promise<string>;
}

function responseOf(text: string): MeshResponse {
  return { status: 200, statusText: 'OK', ok: true, headers: new Headers(), text: async () => text };
}

/** A number is the one text that Mesh neither wraps nor decorates. */
const PLACEHOLDER: MeshResponse = responseOf('0');
