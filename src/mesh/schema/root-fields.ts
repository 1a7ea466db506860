import type { GraphQLField, GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Log } from '../../contract/log.ts';
import type { MeshContext } from '../../upstream/calls/mesh-context.ts';
import type { UpstreamData } from '../../upstream/calls/upstream-data.ts';
import { withQuery } from '../../upstream/exchange/upstream-exchange.ts';
import { logFailure } from '../../upstream/exchange/upstream-failure.ts';
import { type HttpField, readHttpField } from '../../upstream/fields/http-field.ts';
import {
  markArguments,
  pathText,
  unmarkedPath,
  type WireObject,
  withoutMarks,
} from '../../upstream/sending/call-arguments.ts';

/** The member of `info` that passes the call through Mesh to {@link meshFetch}. */
const CALL: unique symbol = Symbol('duogate.call');

interface RootFieldCall extends MeshContext {
  readonly field: HttpField;
  readonly target: FieldTarget;
  readonly report: (error: unknown) => void;
}

interface CarryingInfo extends GraphQLResolveInfo {
  readonly [CALL]?: RootFieldCall;
}

/**
 * The context for Mesh's resolver: only `fetch`, so that templates cannot refer to the request or its sender.
 */
interface HandedContext {
  readonly fetch: typeof meshFetch;
}

const HANDED: HandedContext = { fetch: meshFetch };

export interface RootFieldOptions {
  readonly source: string;
  readonly targetOf: (field: string) => FieldTarget;
  readonly log: Log;
}

/** The server of a field. */
export interface FieldTarget {
  /** The base URL of its calls. */
  readonly url: string;
  /** The URL that Mesh prepends. */
  readonly endpoint: string;
  readonly data: UpstreamData;
  /** The additional query of each call; percent-encoded, or empty. */
  readonly query: string;
  /** The names of query parameters that the source's settings or credentials set. */
  readonly ownParameters: ReadonlySet<string>;
}

/**
 * Wraps the resolvers of root fields that make HTTP calls.
 *
 * Mesh still builds the request, per call or once as a template, but the gateway sends it and reads the
 * response: Mesh would insert unencoded arguments into the path, follow redirects, convert wrong types, and
 * add eight accessors to each item of a list.
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
  { source, targetOf, log }: RootFieldOptions,
): void {
  const target = targetOf(field.name);
  const httpField = readHttpField(schema, source, type, field);
  const { resolve } = field;
  if (httpField === undefined || resolve === undefined) return;
  const send = senderOf(httpField, resolve as MeshResolver);
  field.resolve = async (_, __, context, info) => {
    const { call, fieldCall } = context as MeshContext;
    const report = (error: unknown) => logFailure(log, httpField.name, call, error);
    try {
      await send({ field: httpField, call, fieldCall, target, report }, info);
    } catch (error) {
      fieldCall.failure = error as Error;
      report(error);
    }
    // The call has its result already, so nothing further is executed.
    return null;
  };
}

type Send = (call: RootFieldCall, info: GraphQLResolveInfo) => Promise<void>;

/** Sends the request that Mesh builds; for a read with path arguments only, from a template. */
function senderOf(field: HttpField, resolve: MeshResolver): Send {
  let template: RequestTemplate | 'none' | undefined;
  return async (call, info) => {
    const { arguments: written } = call.fieldCall;
    if (isReadByPath(call)) {
      template ??= (await requestTemplate(field, resolve, info)) ?? 'none';
      if (template !== 'none') return load(call, template.pathWith(written), template.headers);
    }
    const carrying: CarryingInfo = { ...info, [CALL]: call };
    await resolve(undefined, markArguments(field, written), HANDED, carrying);
    if (call.fieldCall.loaded === undefined) throw new Error(`Mesh answered ${field.name} without a call`);
  };
}

/** Whether the call is a read that depends only on path arguments. */
function isReadByPath({ field, fieldCall }: RootFieldCall): boolean {
  const { method, pathArguments, headerArguments } = field;
  if (method !== 'GET' || headerArguments.length > 0) return false;
  return Object.keys(fieldCall.arguments).every((name) => pathArguments.includes(name));
}

/** The `fetch` for Mesh. */
export async function meshFetch(
  url: string,
  request: MeshRequest,
  _context: HandedContext,
  info: CarryingInfo,
): Promise<MeshResponse> {
  const call = info?.[CALL];
  // Mesh must not read anything else from the network.
  if (call === undefined) throw new Error('Only root fields call an upstream');
  await load(call, pathOf(url), headersOf(call.field, request.headers ?? {}));
  return PLACEHOLDER;
}

/** Sends the call: the path and headers built by Mesh, and the caller's body. */
async function load(
  { field, call, fieldCall, target, report }: RootFieldCall,
  madePath: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const path = withQuery(fieldCall.target ?? placed(madePath, target), target.query);
  fieldCall.sent = path;
  const { body, decoder, mediaType, stream, conditions, takesInput, mayBeEmpty, rate, maxAge } = fieldCall;
  const sent = { body, decoder, mediaType, stream, conditions, takesInput, mayBeEmpty, rate, maxAge };
  fieldCall.loaded = await target.data.load({ field, path, headers, report, ...sent }, call);
}

/** The path relative to the field's own server. */
function placed(madePath: string, { url, endpoint }: FieldTarget): string {
  if (url === endpoint) return madePath;
  const [own, made] = [url, endpoint].map((each) => new URL(each).pathname.replace(/\/$/, ''));
  return `${own}${madePath.slice(made?.length)}`;
}

/**
 * The part of the URL after the host, without fragments, which distinguish operations and are not sent (RFC
 * 9110, section 7.1). Values are percent-encoded already; literal text of the document may not be.
 */
function pathOf(url: string): string {
  const path = unmarkedPath(url.slice(url.indexOf('/', url.indexOf('://') + 3)).replace(/#[^?]*/, ''));
  return path.replace(/[^\x21-\x7e]+/g, (signs) => encodeURIComponent(signs.toWellFormed()));
}

function headersOf(
  { headerArguments }: HttpField,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (headerArguments.length === 0) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, withoutMarks(String(value))]),
  );
}

/** The request from Mesh. */
interface MeshRequest {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The members of a response that Mesh reads. */
interface MeshResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Headers;
  text(): Promise<string>;
}

/** A dummy response: Mesh neither wraps nor decorates a number. */
const PLACEHOLDER: MeshResponse = {
  status: 200,
  statusText: 'OK',
  ok: true,
  headers: new Headers(),
  text: async () => '0',
};

/** Mesh's resolver of a root field, which calls the context's `fetch`. */
type MeshResolver = (
  root: unknown,
  args: Record<string, unknown>,
  context: { readonly fetch: unknown },
  info: GraphQLResolveInfo,
) => unknown;

type MeshFetch = (url: string, request: MeshRequest) => Promise<MeshResponse>;

/** The request for a field with path arguments only. */
interface RequestTemplate {
  readonly headers: Readonly<Record<string, string>>;
  pathWith(args: Readonly<Record<string, unknown>>): string;
}

/**
 * Lets Mesh build the request with placeholder values and uses the result as a template, which saves parsing
 * the same texts for every request.
 *
 * Undefined if a placeholder does not occur exactly once; then Mesh builds each request.
 */
async function requestTemplate(
  field: HttpField,
  resolve: MeshResolver,
  info: GraphQLResolveInfo,
): Promise<RequestTemplate | undefined> {
  const names = field.pathArguments;
  const args: WireObject = Object.fromEntries(names.map((name, index) => [name, `duogate-value-${index}-`]));
  let template: RequestTemplate | undefined;
  const fetch: MeshFetch = async (url, { headers = {} }) => {
    template = templateOf(pathOf(url), names, headers);
    return PLACEHOLDER;
  };
  try {
    await resolve(undefined, markArguments(field, args), { fetch }, info);
  } catch {
    return undefined;
  }
  return template;
}

const STANDS = /duogate-value-(\d+)-/;

function templateOf(
  path: string,
  names: readonly string[],
  headers: RequestTemplate['headers'],
): RequestTemplate | undefined {
  const pieces = path.split(STANDS);
  const places = pieces.filter((_, index) => index % 2 === 1).map(Number);
  const isEachOnce = places.length === names.length && names.every((_, index) => places.includes(index));
  if (!isEachOnce) return undefined;
  const [first = '', ...literals] = pieces.filter((_, index) => index % 2 === 0);
  const parts = literals.map((literal, index) => ({ name: names[places[index] ?? -1] ?? '', literal }));
  return {
    headers,
    pathWith: (args) =>
      parts.reduce((path, { name, literal }) => `${path}${pathText(name, args[name])}${literal}`, first),
  };
}
